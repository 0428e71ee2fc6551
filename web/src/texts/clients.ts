import { isolate } from '../utilities/isolate.ts';

/** The systems that use the automation API. */
export const clients = {
  title: 'API clients',
  description: 'Your systems that use the automation API. Each gets its own id, secret and scopes.',
  label: 'API clients',
  search: 'Search by name, e-mail or client id',
  columns: {
    name: 'Name',
    email: 'E-mail',
    scopes: 'May',
    state: 'State',
    lastUsed: 'Last used',
    created: 'Created',
  },
  stateFilter: 'State',
  states: { enabled: 'Enabled', disabled: 'Disabled' },
  copyId: (name: string) => `Copy the client id of ${isolate(name)}`,
  actionsOf: (name: string) => `Actions for ${isolate(name)}`,
  neverUsed: 'Never',
  all: 'Everything',
  nothing: 'Nothing',
  readsOnly: 'Only read',
  shortScopes: {
    'content:read': 'read content',
    'content:write': 'change content',
    'webhooks:read': 'read webhooks',
    'webhooks:write': 'change webhooks',
    'registrations:write': 'change registrations',
  },
  empty: {
    title: 'No API clients yet',
    description:
      'A client is one of your systems: an LMS, a CRM, a script. It gets a token with its id and secret, and does with it what its scopes allow.',
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
    note: 'Scopes that you take away are lost to its tokens at once. Tokens it has gain nothing: new ones do.',
    conflict: {
      title: 'Someone else changed this client in the meantime',
      description:
        'Saving again puts what you entered in place of its present name, e-mail and scopes. Or start from its present state.',
      fact: (label: string, value: string) => `${label} now: ${isolate(value)}`,
      startAgain: 'Start from its present state',
    },
  },
  form: {
    name: 'Name',
    nameDescription: 'What it is, for people: “CRM production”.',
    email: 'E-mail',
    emailDescription: 'Whom to ask about it. Stands as “user” in the messages of what the client causes.',
    scopes: 'Scopes',
    scopesDescription: 'Give it no more than it needs.',
    withoutScopes: 'Without a scope its tokens allow nothing.',
    chooseAll: 'All',
    chooseReads: 'Only reading',
    meanings: {
      'content:read': 'Read accounts, folders, courses, registrations and what belongs to them.',
      'content:write': 'Change accounts, folders and courses; import courses; give accounts content.',
      'webhooks:read': 'Read webhooks, their statistics, history and lines. Never their secrets.',
      'webhooks:write': 'Create, change and delete webhooks; send messages again; act on lines.',
      'registrations:write': 'Register learners, make launch links, report their status.',
    },
    checks: {
      name: 'Give it a name',
      email: 'Enter an e-mail address',
      nameLength: 'At most 200 characters',
      scopes: 'Choose at least one: without a scope it can do nothing',
    },
  },
  discard: {
    title: 'Close without saving?',
    description: 'What you entered is not saved.',
    keep: 'Go on editing',
    confirm: 'Discard',
  },
  secret: {
    created: 'Client created',
    renewed: (name: string) => `New secret of ${isolate(name)}`,
    description: (name: string) => `With these, ${isolate(name)} gets its tokens.`,
    id: 'Client id',
    secret: 'Client secret',
    once: 'The secret is shown only now and cannot be shown again. Copy it to where it is used.',
    usage: 'Try it',
    usageDescription:
      'Gets a token. curl asks for the secret, so that it stays out of the history of your shell.',
    copyId: 'Copy the client id',
    copyCommand: 'Copy the command',
    done: 'I have copied the secret',
  },
  renew: {
    action: 'New secret…',
    title: (name: string) => `New secret for ${isolate(name)}?`,
    description:
      'The present secret and all tokens end at once: the client is shut out until it has the new one.',
    confirm: 'Make new secret',
  },
  disable: {
    action: 'Disable…',
    title: (name: string) => `Disable ${isolate(name)}?`,
    description: 'All its tokens end at once, and it gets no new ones until it is enabled again.',
    confirm: 'Disable',
    done: (name: string) => `${isolate(name)} is disabled.`,
  },
  enable: {
    action: 'Enable',
    done: (name: string) => `${isolate(name)} is enabled. It can ask for tokens again.`,
  },
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete ${isolate(name)}?`,
    description:
      'All its tokens end at once and its secret is forgotten. What it did stays. This cannot be undone; a client that may come back can be disabled instead.',
    confirm: 'Delete client',
    done: (name: string) => `${isolate(name)} was deleted.`,
  },
} as const;
