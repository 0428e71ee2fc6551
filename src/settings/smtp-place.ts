import type { Settings } from './settings-table.ts';
import type { SMTP_SECURITIES } from './smtp-securities.ts';

/** The SMTP server that sends e-mail. */
export interface SmtpPlace {
  host: string;
  port: number;
  security: (typeof SMTP_SECURITIES)[number];
  user: string | null;
  password: string | null;
  /** The address of the sender. */
  from: string;
}

/** Null if no e-mail is sent. */
export function smtpPlaceOf(settings: Settings): SmtpPlace | null {
  const { smtp_host: host, smtp_from: from } = settings;
  if (host === null || from === null) return null;
  return {
    host,
    from,
    port: settings.smtp_port,
    security: settings.smtp_security,
    user: settings.smtp_user,
    password: settings.smtp_password,
  };
}
