export const navigation = {
  label: 'Main',
  skip: 'Skip to content',
  open: 'Open menu',
  close: 'Close menu',
  dashboard: 'Dashboard',
  content: 'Content',
  accounts: 'Accounts',
  registrations: 'Registrations',
  administration: 'Administration',
  integrations: 'Integrations',
  webhooks: 'Webhooks',
  events: 'Events',
  clients: 'API clients',
  deadLetters: 'Dead letters',
  alerts: 'Alerts',
  administrators: 'Administrators',
  auditLog: 'Audit log',
  system: 'System',
  profile: 'Your profile',
  signOut: 'Sign out',
  apiReference: 'API reference',
  userMenu: 'Your account: ',
  roles: { admin: 'Administrator', integrator: 'Integrator', viewer: 'Viewer' },
  scheme: { label: 'Appearance', light: 'Light', dark: 'Dark', auto: 'System' },
  readOnly: {
    title: 'Webhooks are Read Only',
    description:
      'The webhooks service is disabled (enable_webhooks_service: false). Events trigger no webhooks, nothing is delivered, and webhooks cannot be changed or deleted.',
  },
  connectionLost: 'The service is not responding.',
  /** The service responds, but sends no current data. */
  refused: {
    unavailable: 'The service cannot send current data.',
    because: (reason: string) => `The service cannot send current data: ${reason}.`,
    failed: 'The service failed to send current data. If this lasts, look for the cause in the service log.',
    tooMany: 'The service cannot send current data, because it received too many requests.',
  },
  /** After one of the above. */
  outOfDate: 'What you see may be out of date. Retrying…',
  notAllowed: {
    title: 'Your role cannot open this page',
    description: (role: string) =>
      `You are signed in as ${role}. Ask an administrator for another role if you need this page.`,
  },
  viewOnly: {
    badge: 'View only',
    reason: (role: string) => `Your role, ${role}, can see webhooks but not change them or send messages.`,
  },
} as const;
