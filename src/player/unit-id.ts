/** Maximum length of the id of a unit, in characters. SCORM 2004 and cmi5 allow up to 4,000. */
export const MAX_UNIT_ID_LENGTH = 4_096;
