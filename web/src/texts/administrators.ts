import { isolate } from '../utilities/isolate.ts';
import { pageTitles } from './page-titles.ts';
import { deletionOf } from './selection.ts';

export const administrators = {
  title: pageTitles.administrators,
  description:
    'People who can sign in here. Their e-mail address appears as “user” in webhook messages about what they do.',
  invite: 'Invite',
  columns: { name: 'Name', role: 'Role', state: 'State', lastSignIn: 'Last signed in', created: 'Created' },
  states: { active: 'Active', disabled: 'Disabled', invited: 'Invited' },
  unnamed: 'Not set up yet',
  actionsFor: (name: string) => `Actions for ${isolate(name)}`,
  actionsBy: 'Show what they did',
  changesTo: 'Show changes to them',
  newInvitation: 'New invitation link',
  newPassword: 'Password reset link',
  inviteDialog: {
    title: 'Invite someone',
    email: 'E-mail',
    checkEmail: 'Enter an e-mail address',
    role: 'Role',
    submit: 'Create invitation link',
  },
  roleMeanings: {
    admin: 'Can see and change everything.',
    integrator:
      'Manages webhooks, events, deliveries and dead letters. Sees no content, accounts, registrations or API clients.',
    viewer: 'Sees content, accounts, registrations, webhooks and events. Cannot change anything.',
  },
  link: {
    invitation: 'Send this invitation',
    password: 'Send this link',
    description: (email: string) =>
      `Anyone who opens this link can set the password of ${isolate(email)}, so send it privately. It works once.`,
    expires: 'Expires',
    label: 'One-time link',
    once: 'This link is shown only once. If it is lost, create a new one, which invalidates this one.',
  },
  passwordDialog: {
    title: (invited: boolean) =>
      invited ? 'Create a new invitation link?' : 'Create a password reset link?',
    invited: (name: string) => `The link that was sent to ${isolate(name)} before will stop working.`,
    description: (name: string) =>
      `${isolate(name)} uses it to choose a new password. The current password works until then. Earlier links stop working.`,
    confirm: 'Create link',
  },
  editDialog: {
    title: (name: string) => `Edit ${isolate(name)}`,
    name: 'Name',
    nameLater: 'They enter it when they accept the invitation.',
    role: 'Role',
    enabled: 'Can sign in',
    enabledDescription: 'Turning this off ends all their sessions immediately.',
    saved: (name: string) => `${isolate(name)} was saved.`,
  },
  deleteDialog: {
    title: (name: string) => `Delete ${isolate(name)}?`,
    description: 'They are signed out immediately and cannot sign in again. Their changes are kept.',
    invited: 'The invitation link stops working.',
    many: deletionOf('administrator', 'administrators'),
    manyDescription: 'They are signed out immediately and cannot sign in again. Their changes are kept.',
    yourself: 'You cannot delete yourself',
  },
  deleted: (name: string) => `${isolate(name)} was deleted.`,
} as const;
