import { SCOPE_MEANINGS } from '../../../src/identity/scopes.ts';
import { isolate } from '../utilities/isolate.ts';
import { pageTitles } from './page-titles.ts';
import { deletionOf } from './selection.ts';

/** API clients: the systems that use the automation API. */
export const clients = {
  title: pageTitles.clients,
  description: 'Systems of yours that use the automation API. Each has its own id, secret and scopes.',
  label: 'API clients',
  search: 'Search by name, e-mail or client id',
  columns: {
    name: 'Name',
    email: 'E-mail',
    scopes: 'Scopes',
    state: 'State',
    lastUsed: 'Last used',
    created: 'Created',
  },
  stateFilter: 'State',
  states: { enabled: 'Enabled', disabled: 'Disabled' },
  copyId: (name: string) => `Copy the client id of ${isolate(name)}`,
  actionsOf: (name: string) => `Actions for ${isolate(name)}`,
  neverUsed: 'Never',
  all: 'All',
  nothing: 'None',
  readsOnly: 'Read-only',
  shortScopes: {
    'content:read': 'read content',
    'content:write': 'change content',
    'webhooks:read': 'read webhooks',
    'webhooks:write': 'change webhooks',
    'registrations:write': 'change registrations',
    'statements:read': 'read learning records',
    'statements:write': 'store learning records',
    'audit:read': 'read the audit log',
  },
  empty: {
    title: 'No API clients yet',
    description:
      'A client is one of your systems, such as an LMS, a CRM or a script. It exchanges its id and secret for a token, whose scopes say what it can do.',
    action: 'Create the first client',
  },
  create: {
    action: 'Create client',
    title: 'Create an API client',
    submit: 'Create client',
  },
  edit: {
    action: 'Edit…',
    title: (name: string) => `Edit ${isolate(name)}`,
    submit: 'Save',
    done: (name: string) => `${isolate(name)} was saved.`,
    note: 'Scopes that you remove stop working immediately, even for existing tokens. Scopes that you add apply to new tokens only.',
    conflict: {
      title: 'Someone else changed this client in the meantime',
      description:
        'Saving again replaces the current name, e-mail and scopes with yours. Or start over from the current values.',
      fact: (label: string, value: string) => `${label} now: ${isolate(value)}`,
      startAgain: 'Start over from the current values',
    },
  },
  form: {
    name: 'Name',
    nameDescription: 'A name that people recognize, such as “CRM production”.',
    email: 'E-mail',
    emailDescription: 'Who to contact about it. Also sent as “user” in messages about what the client does.',
    scopes: 'Scopes',
    scopesDescription: 'Grant only what it needs.',
    withoutScopes: 'Without scopes, its tokens cannot do anything.',
    chooseAll: 'All',
    chooseReads: 'Read-only',
    meanings: SCOPE_MEANINGS,
    checks: {
      name: { required: 'Enter a name', tooLong: 'Use at most 200 characters' },
      email: 'Enter an e-mail address',
      scopes: 'Choose at least one: without scopes it cannot do anything',
    },
  },
  secret: {
    created: 'Client created',
    renewed: (name: string) => `New secret for ${isolate(name)}`,
    description: (name: string) => `${isolate(name)} uses these to get tokens.`,
    id: 'Client id',
    secret: 'Client secret',
    once: 'The secret is shown only once. Copy it now to where you need it.',
    usage: 'Try it',
    usageDescription: 'Gets a token. curl asks for the secret, which keeps it out of your shell history.',
    copyId: 'Copy the client id',
    copyCommand: 'Copy the command',
    done: 'I have copied the secret',
  },
  renew: {
    action: 'New secret…',
    title: (name: string) => `New secret for ${isolate(name)}?`,
    description:
      'The current secret and all tokens stop working immediately. The client is locked out until it uses the new secret.',
    confirm: 'Create new secret',
  },
  disable: {
    action: 'Disable…',
    title: (name: string) => `Disable ${isolate(name)}?`,
    description:
      'All its tokens stop working immediately, and it cannot get new ones until you enable it again.',
    confirm: 'Disable',
    done: (name: string) => `${isolate(name)} is disabled.`,
  },
  enable: {
    action: 'Enable',
    done: (name: string) => `${isolate(name)} is enabled. It can get tokens again.`,
  },
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete ${isolate(name)}?`,
    description:
      'All its tokens stop working immediately and its secret is deleted. Its past changes are kept. This cannot be undone. If you may need the client again, disable it instead.',
    confirm: 'Delete client',
    many: deletionOf('client', 'clients'),
    manyDescription:
      'All their tokens stop working immediately and their secrets are deleted. Their past changes are kept. This cannot be undone. If you may need a client again, disable it instead.',
    done: (name: string) => `${isolate(name)} was deleted.`,
  },
} as const;
