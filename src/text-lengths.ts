/** Maximum lengths of texts, in characters, for the service and its UI. */

/** Names of accounts, content, webhooks, alerts, API clients and administrators. */
export const MAX_NAME_LENGTH = 200;
/** The longest address that mail systems carry (RFC 5321 section 4.5.3.1.3, without the angle brackets). */
export const MAX_EMAIL_LENGTH = 254;
export const MAX_URL_LENGTH = 2_048;
export const MAX_LEARNER_ID_LENGTH = 255;
/** User names, passwords and secrets of targets and servers. */
export const MAX_CREDENTIAL_LENGTH = 1_000;
