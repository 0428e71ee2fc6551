/** `Strict-Transport-Security` of responses over HTTPS: valid for a year (RFC 6797), and not for other host names of the domain. */
export const STRICT_TRANSPORT = 'max-age=31536000';
