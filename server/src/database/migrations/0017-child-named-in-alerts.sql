-- Whether messages about a device name the child. Others may read a phone's screen, so the parent has to want it.
ALTER TABLE root_user ADD COLUMN is_child_named_in_alerts boolean NOT NULL DEFAULT false;
