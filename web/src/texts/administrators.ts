import { isolate } from '../utilities/isolate.ts';

export const administrators = {
  title: 'Administrators',
  description:
    'Who may sign in here. What they do stands under their e-mail address in the messages of webhooks.',
  invite: 'Invite',
  columns: { name: 'Name', role: 'Role', state: 'State', lastSignIn: 'Last signed in', created: 'Added' },
  states: { active: 'Active', disabled: 'Disabled', invited: 'Invited' },
  unnamed: 'Not set up yet',
  actionsFor: (name: string) => `Actions for ${isolate(name)}`,
  newInvitation: 'New invitation link',
  newPassword: 'Link for a new password',
  inviteDialog: {
    title: 'Invite someone',
    email: 'E-mail',
    checkEmail: 'Enter an e-mail address',
    role: 'Role',
    submit: 'Make invitation link',
  },
  roleMeanings: {
    admin: 'Sees and changes everything.',
    viewer: 'Sees content, accounts and registrations; changes nothing. No integrations.',
  },
  link: {
    invitation: 'Send this invitation',
    password: 'Send this link',
    description: (email: string) =>
      `Whoever opens it chooses the password of ${isolate(email)}, so send it in private. It works once.`,
    expires: 'It expires',
    label: 'One-time link',
    once: 'This is shown only now. Should it be lost, make a new one; that ends this one.',
  },
  passwordDialog: {
    title: (invited: boolean) =>
      invited ? 'Make a new invitation link?' : 'Make a link for a new password?',
    invited: (name: string) => `The link that was sent to ${isolate(name)} before ends.`,
    description: (name: string) =>
      `${isolate(name)} chooses a new password with it. The present one works until then; links made before end.`,
    confirm: 'Make link',
  },
  editDialog: {
    title: (name: string) => `Edit ${isolate(name)}`,
    name: 'Name',
    nameLater: 'They tell it with the invitation.',
    role: 'Role',
    enabled: 'May sign in',
    enabledDescription: 'Disabling ends all of their sessions at once.',
    saved: (name: string) => `${isolate(name)} was saved`,
  },
  deleteDialog: {
    title: (name: string) => `Delete ${isolate(name)}?`,
    description: 'They are signed out at once and cannot sign in again. What they did stays.',
    invited: 'The invitation link stops working.',
    yourself: 'Nobody can delete themselves',
  },
  deleted: (name: string) => `${isolate(name)} was deleted`,
} as const;
