/** Error codes of SCORM 2004 (Run-Time Environment 3.1.7). */
export const NO_ERROR = 0;
export const GET_FAILURE = 301;
export const SET_FAILURE = 351;
export const UNDEFINED = 401;
export const NOT_INITIALIZED = 403;
export const READ_ONLY = 404;
export const WRITE_ONLY = 405;
export const TYPE_MISMATCH = 406;
export const DEPENDENCY = 408;
