/**
 * What a procedure gets with its input. Empty here: each room adds what it brings by declaration merging, so that
 * the router's types, which the SDK publishes, name nothing of the server.
 */
export interface Context {}

/** What a procedure says about itself; see `endpoint.ts`. */
export interface Meta {}
