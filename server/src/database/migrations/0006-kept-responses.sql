-- Responses to calls with an Idempotency-Key: docs/decisions/repeatable-writes.md.
CREATE TABLE kept_response (
  root_user_id int NOT NULL,
  client_id    int NOT NULL,
  key_hash     bytea NOT NULL,
  input_hash   bytea NOT NULL,
  response     text,
  children     int[] NOT NULL,
  created_at   timestamptz(3) NOT NULL,
  PRIMARY KEY (root_user_id, client_id, key_hash)
);
CREATE INDEX kept_response_created ON kept_response (created_at);
COMMENT ON TABLE kept_response IS 'What calls with an Idempotency-Key were answered, for a day, so that a repeat gets the same.';
COMMENT ON COLUMN kept_response.root_user_id IS 'The account that called, or that has granted the call; 0 for a service with a token of its own.';
COMMENT ON COLUMN kept_response.client_id IS 'The service that called; 0 for the account itself.';
COMMENT ON COLUMN kept_response.key_hash IS 'The hash of the operation and the Idempotency-Key.';
COMMENT ON COLUMN kept_response.input_hash IS 'Keyed hash of the input, in which the order of keys does not count.';
COMMENT ON COLUMN kept_response.response IS 'Status, headers and body as JSON, encrypted; null while something that the call needs goes on after its commit.';
COMMENT ON COLUMN kept_response.children IS 'The children that the call has reached and may still reach: who no longer may gets no repeat.';
