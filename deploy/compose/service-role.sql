-- The role of the service, which owns nothing. "migrate up" gives it what it needs.
\getenv password SERVICE_PASSWORD
CREATE ROLE user_groups_service LOGIN PASSWORD :'password';
