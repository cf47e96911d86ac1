<?php
// Calls every recipe in PHP and prints one line of results.
require __DIR__ . '/groups.php';
require __DIR__ . '/sessions.php';
require __DIR__ . '/webhooks.php';

const ID = 'recipe-php';
$audience = getenv('AUDIENCE');

function refusal(callable $run, string $kind): string
{
    try {
        $run();
    } catch (Exception $error) {
        if (!$error instanceof $kind) throw $error;
        return $error->errorCode ?? 'refused';
    }
    return 'accepted';
}

$token = get_or_create(ID, 'Acme', ['region' => 'EU'])['token'];
$name = update(ID, ['name' => 'Acme Inc.'])['name'];
$session = create_embed_session(ID, ['role' => 'viewer']);
$keySet = json_decode(file_get_contents(getenv('USER_GROUPS_URL') . '/.well-known/jwks.json'), true);
$role = verify_session($session, $keySet, $audience)['variables']['role'];
$forged = refusal(fn () => verify_session(substr($session, 0, -4) . 'AAAA', $keySet, $audience), UnexpectedValueException::class);
$foreign = refusal(fn () => verify_session($session, $keySet, 'other/Customer'), UnexpectedValueException::class);
$rotated = rotate($token, 'rotate ' . ID)['token'];
$repeated = rotate($token, 'rotate ' . ID)['token'];
delete($rotated);
$gone = refusal(fn () => delete($rotated), ApiError::class);
$headers = [];
foreach (['id', 'timestamp', 'signature'] as $key) $headers["webhook-$key"] = getenv('WEBHOOK_' . strtoupper($key));
$body = getenv('WEBHOOK_BODY');
$secret = getenv('WEBHOOK_SECRET');
$flags = [$rotated !== $token && $rotated === $repeated, is_genuine($body, $headers, $secret), is_genuine("$body ", $headers, $secret), is_genuine($body, [], $secret)];
echo implode('|', [$name, $role, $forged, $foreign, $gone, ...array_map('json_encode', $flags)]), "\n";
