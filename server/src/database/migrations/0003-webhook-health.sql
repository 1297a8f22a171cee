-- Of several webhooks of a service for one address, the one stays whose secret the service has got last.
DELETE FROM webhook w USING webhook o
WHERE o.client_id = w.client_id AND o.url = w.url AND (o.disabled_at IS NULL, o.id) > (w.disabled_at IS NULL, w.id);

DROP INDEX webhook_client;
-- By a hash, because an address may be longer than an entry of an index.
CREATE UNIQUE INDEX webhook_address ON webhook (client_id, hashtextextended(url, 0));

ALTER TABLE webhook ADD failing_since timestamptz(3), ADD last_fault text;
COMMENT ON COLUMN webhook.failing_since IS 'The first of the failures since the last success; null after a success.';
COMMENT ON COLUMN webhook.last_fault IS 'In a few words, why the last of them failed.';
