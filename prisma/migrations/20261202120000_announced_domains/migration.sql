-- Gateways remember by which domains people sign in with a provider.
SELECT announce_attach('domains', true);
SELECT announce_attach('sso_connections', true);
