-- Refused records of a child are among its figures, because their clock may be why.
CREATE OR REPLACE FUNCTION mark_figures_of_rejected_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_figures(ARRAY(SELECT real_user_id FROM added WHERE real_user_id IS NOT NULL));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER mark_figures_of_rejected_logs AFTER INSERT ON rejected_devlog REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION mark_figures_of_rejected_logs();

-- One that arrives again is still refused.
CREATE OR REPLACE TRIGGER mark_figures_of_rejected_logs_again AFTER UPDATE ON rejected_devlog REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION mark_figures_of_rejected_logs();
