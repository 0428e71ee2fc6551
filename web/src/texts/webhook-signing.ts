/** The signing of a webhook's postbacks. */
export const webhookSigning = {
  title: 'Signatures',
  description:
    'With a signature, the target can verify that a postback comes from this service, complete and recent (Standard Webhooks).',
  unsigned: 'Postbacks are not signed.',
  since: 'Signed since',
  formerUntil: 'Former secret also signs until',
  start: 'Sign postbacks…',
  rotate: 'Replace the secret…',
  end: 'Stop signing…',
  startTitle: 'Sign the postbacks?',
  startDescription:
    'Each postback then has the header webhook-signature. Targets that do not check it are not affected. The secret is shown once.',
  startConfirm: 'Make a secret',
  rotateTitle: 'Replace the signing secret?',
  rotateDescription:
    'The former secret goes on to sign beside the new one for a while. Within that time, give the target the new secret: no message is lost.',
  formerFor: 'The former secret ends',
  periods: {
    '0': 'Immediately',
    '3600': 'After 1 hour',
    '86400': 'After 24 hours',
    '604800': 'After 7 days',
  },
  leaked:
    'If the former secret has leaked, end it immediately. Postbacks may fail until the target has the new one.',
  rotateConfirm: 'Replace the secret',
  endTitle: 'Stop signing the postbacks?',
  endDescription:
    'Targets that verify signatures will refuse the postbacks, and the line will wait. The secret is forgotten and cannot be restored.',
  endConfirm: 'Stop signing',
  ended: 'Postbacks are no longer signed.',
  made: 'The signing secret',
  secret: 'Signing secret',
  once: 'The secret is shown only once. Copy it now to the target.',
  done: 'I have copied the secret',
} as const;
