"""Verifies embed sessions offline with PyJWT: the key set, the audience and one token per line in, one JSON line per token out."""

import json
import sys

import jwt

key_set = jwt.PyJWKSet.from_json(sys.stdin.readline())
audience = sys.stdin.readline().rstrip("\n")
for line in sys.stdin:
    token = line.rstrip("\n")
    try:
        kid = jwt.get_unverified_header(token).get("kid")
        key = next((each for each in key_set.keys if each.key_id == kid), None)
        if key is None:
            raise jwt.InvalidTokenError("unknown key")
        claims = jwt.decode(
            token,
            key.key,
            algorithms=["ES256"],
            issuer="user-groups",
            audience=audience,
            options={"require": ["exp", "sub"]},
        )
        print(json.dumps({"sub": claims["sub"], "variables": claims["variables"]}))
    except jwt.InvalidTokenError as error:
        print(json.dumps({"error": type(error).__name__}))
