// Calls every recipe in C# and prints one line of results.
using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;

public static class Program
{
    private const string Id = "recipe-csharp";

    private static string Read(string name) => Environment.GetEnvironmentVariable(name) ?? "";

    private static string Refusal(Action action)
    {
        try
        {
            action();
            return "accepted";
        }
        catch (SessionException)
        {
            return "refused";
        }
        catch (ApiException error)
        {
            return error.Code;
        }
    }

    public static async Task Main()
    {
        var audience = Read("AUDIENCE");
        var region = new Dictionary<string, object> { ["region"] = "EU" };
        var token = (await Groups.GetOrCreate(Id, "Acme", region)).GetProperty("token").GetString();
        var changes = new Dictionary<string, object> { ["name"] = "Acme Inc." };
        var name = (await Groups.Update(Id, changes)).GetProperty("name").GetString();
        var session = await Groups.CreateEmbedSession(Id, new Dictionary<string, object> { ["role"] = "viewer" });
        using var http = new HttpClient();
        var keys = Sessions.ReadKeys(await http.GetStringAsync(Read("USER_GROUPS_URL") + "/.well-known/jwks.json"));
        var role = Sessions.Verify(session, keys, audience).GetProperty("variables").GetProperty("role").GetString();
        var forged = Refusal(() => Sessions.Verify(session[..^4] + "AAAA", keys, audience));
        var foreign = Refusal(() => Sessions.Verify(session, keys, "other/Customer"));
        var rotated = (await Groups.Rotate(token, "rotate " + Id)).GetProperty("token").GetString();
        var repeated = (await Groups.Rotate(token, "rotate " + Id)).GetProperty("token").GetString();
        await Groups.Delete(rotated);
        var gone = Refusal(() => Groups.Delete(rotated).GetAwaiter().GetResult());
        var (id, timestamp) = (Read("WEBHOOK_ID"), Read("WEBHOOK_TIMESTAMP"));
        var (signature, secret) = (Read("WEBHOOK_SIGNATURE"), Read("WEBHOOK_SECRET"));
        var body = Encoding.UTF8.GetBytes(Read("WEBHOOK_BODY"));
        var longer = Encoding.UTF8.GetBytes(Read("WEBHOOK_BODY") + " ");
        var results = new[]
        {
            rotated != token && rotated == repeated,
            Webhooks.IsGenuine(body, id, timestamp, signature, secret),
            Webhooks.IsGenuine(longer, id, timestamp, signature, secret),
            Webhooks.IsGenuine(body, "", "", "", secret),
        };
        Console.WriteLine($"{name}|{role}|{forged}|{foreign}|{gone}|{string.Join("|", results).ToLowerInvariant()}");
    }
}
