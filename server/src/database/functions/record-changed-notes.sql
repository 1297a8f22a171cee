-- Tells those who watch a child of its notes and surveys.
CREATE OR REPLACE TRIGGER record_new_event AFTER INSERT ON event FOR EACH ROW
  EXECUTE FUNCTION record_change('note.saved');
CREATE OR REPLACE TRIGGER record_changed_event AFTER UPDATE ON event FOR EACH ROW
  WHEN (OLD.version <> NEW.version)
  EXECUTE FUNCTION record_change('note.saved');
CREATE OR REPLACE TRIGGER record_new_survey AFTER INSERT ON survey FOR EACH ROW
  EXECUTE FUNCTION record_change('survey.submitted');
