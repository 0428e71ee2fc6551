/** How the connection to the SMTP server is encrypted: after the greeting, from the start, or not at all. */
export const SMTP_SECURITIES = ['starttls', 'tls', 'none'] as const;
