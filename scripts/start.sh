#!/bin/sh
# The environment of a process can be read by every command of the same user for as long as it
# runs. What the server alone may know goes on as a file instead (file descriptor 3), and this
# process becomes one that has never had it.
secrets=
for name in GADGET_SECRET_KEY GADGET_OWNER_EMAIL GADGET_OWNER_PASSWORD MONGODB_URI REDIS_URL OPENAI_API_KEY; do
  eval "value=\${$name-}"
  if [ -n "$value" ]; then
    secrets="$secrets$name=$value
"
  fi
  unset "$name"
done
exec node "$(dirname "$0")/start.mjs" --secrets "$@" 3<<END
$secrets
END
