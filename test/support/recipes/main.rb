# Calls every recipe in Ruby and prints one line of results.
require_relative "groups"
require_relative "sessions"
require_relative "webhooks"

ID = "recipe-ruby"
AUDIENCE = ENV.fetch("AUDIENCE")

def refusal(kind)
  yield
  "accepted"
rescue kind => error
  error.respond_to?(:code) ? error.code : "refused"
end

token = Groups.get_or_create(ID, "Acme", { region: "EU" })["token"]
name = Groups.update(ID, name: "Acme Inc.")["name"]
session = Groups.create_embed_session(ID, { role: "viewer" })
role = Sessions.verify(session, AUDIENCE)["variables"]["role"]
forged = refusal(JWT::DecodeError) { Sessions.verify("#{session[0...-4]}AAAA", AUDIENCE) }
foreign = refusal(JWT::DecodeError) { Sessions.verify(session, "other/Customer") }
rotated = Groups.rotate(token, "rotate #{ID}")["token"]
repeated = Groups.rotate(token, "rotate #{ID}")["token"]
Groups.delete(rotated)
gone = refusal(Groups::ApiError) { Groups.delete(rotated) }
headers = %w[id timestamp signature].to_h { |key| ["webhook-#{key}", ENV.fetch("WEBHOOK_#{key.upcase}")] }
body, secret = ENV.fetch("WEBHOOK_BODY"), ENV.fetch("WEBHOOK_SECRET")
flags = [rotated != token && rotated == repeated, genuine?(body, headers, secret), genuine?("#{body} ", headers, secret), genuine?(body, {}, secret)]
puts [name, role, forged, foreign, gone, *flags].join("|")
