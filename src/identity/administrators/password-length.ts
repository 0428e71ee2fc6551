/** The length of a new password, in characters. It is what makes a password strong (NIST SP 800-63B section 3.1.1). */
export const MIN_PASSWORD_CHARACTERS = 12;
export const MAX_PASSWORD_CHARACTERS = 256;
