-- What concerns people: the language of mails.

ALTER TABLE root_user ADD COLUMN language text CHECK (language IN ('KR', 'EN'));
COMMENT ON COLUMN root_user.language IS 'Of mails and alerts, as the holder has chosen it; null: that of the country.';
