"""Calls every recipe in Python and prints one line of results."""

import os

import groups
import jwt
import sessions
import webhooks

ID, AUDIENCE = "recipe-python", os.environ["AUDIENCE"]


def refusal(run, kind):
    try:
        run()
    except kind as error:
        return getattr(error, "code", "refused")
    return "accepted"


token = groups.get_or_create(ID, "Acme", {"region": "EU"})["token"]
name = groups.update(ID, name="Acme Inc.")["name"]
session = groups.create_embed_session(ID, {"role": "viewer"})
role = sessions.verify_session(session, AUDIENCE)["variables"]["role"]
forged = refusal(lambda: sessions.verify_session(session[:-4] + "AAAA", AUDIENCE), jwt.PyJWTError)
foreign = refusal(lambda: sessions.verify_session(session, "other/Customer"), jwt.PyJWTError)
rotated = groups.rotate(token, "rotate " + ID)["token"]
repeated = groups.rotate(token, "rotate " + ID)["token"]
groups.delete(rotated)
gone = refusal(lambda: groups.delete(rotated), groups.ApiError)
body, secret = os.environ["WEBHOOK_BODY"].encode(), os.environ["WEBHOOK_SECRET"]
headers = {f"webhook-{key}": os.environ["WEBHOOK_" + key.upper()] for key in ("id", "timestamp", "signature")}
flags = [rotated != token and rotated == repeated, webhooks.is_genuine(body, headers, secret), webhooks.is_genuine(body + b" ", headers, secret), webhooks.is_genuine(body, {}, secret)]
print("|".join([name, role, forged, foreign, gone, *(str(flag).lower() for flag in flags)]))
