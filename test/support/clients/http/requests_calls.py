"""Runs the four calls of the interface with python3-requests and prints the status and body of each reply."""

import json
import sys

import requests

url, key = sys.argv[1:]
headers = {"Authorization": f"Token {key}"}


def call(method, body):
    reply = requests.request(method, url, headers=headers, json=body, timeout=10)
    return reply.status_code, reply.json()


replies = [call("GET", {"user_group_id": "python", "name": "Python", "properties": {"é": "ü"}})]
token = replies[0][1]["user_group"]["token"]
replies.append(call("PUT", {"user_group_id": "python", "name": "Python 3"}))
replies.append(call("POST", {"current_token": token}))
replies.append(call("DELETE", {"current_token": replies[-1][1]["user_group"]["token"]}))
print(json.dumps(replies))
