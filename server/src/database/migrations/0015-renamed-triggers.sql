-- Functions of triggers that have other names since. No process calls one by its name, so they need not stay for older ones.
DROP FUNCTION IF EXISTS note_update(), record_refused_clock(), watch_nights() CASCADE;
