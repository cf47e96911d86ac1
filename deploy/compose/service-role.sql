-- The application role, which owns nothing. "migrate up" grants what it needs.
\getenv password SERVICE_PASSWORD
CREATE ROLE user_groups_service LOGIN PASSWORD :'password';
