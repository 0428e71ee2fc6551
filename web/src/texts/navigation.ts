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
  clients: 'API clients',
  deadLetters: 'Dead letters',
  administrators: 'Administrators',
  system: 'System',
  profile: 'Your profile',
  signOut: 'Sign out',
  apiReference: 'API reference',
  userMenu: 'Your account: ',
  roles: { admin: 'Administrator', viewer: 'Viewer' },
  scheme: { label: 'Appearance', light: 'Light', dark: 'Dark', auto: 'System' },
  readOnly: {
    title: 'Webhooks are Read Only',
    description:
      'The webhooks service is disabled (enable_webhooks_service: false). Events trigger no webhooks, nothing is delivered, and webhooks cannot be changed or deleted.',
  },
  connectionLost: 'The service is not responding. What you see may be out of date. Retrying…',
  notAllowed: {
    title: 'Administrators only',
    description:
      'Integrations and administration require the administrator role. Ask an administrator for it.',
  },
} as const;
