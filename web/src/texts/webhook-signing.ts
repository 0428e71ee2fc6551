/** The signing of a webhook's postbacks. */
export const webhookSigning = {
  title: 'Signatures',
  description:
    'With a signature, the target can verify that a postback comes from this service, and that it is complete and recent (Standard Webhooks).',
  unsigned: 'Postbacks are not signed.',
  since: 'Signed since',
  formerUntil: 'Old secret also signs until',
  start: 'Sign postbacks…',
  rotate: 'Replace the secret…',
  end: 'Stop signing…',
  startTitle: 'Sign the postbacks?',
  startDescription:
    'Each postback then has the header webhook-signature. Targets that do not check it are not affected. The secret is shown once.',
  startConfirm: 'Create secret',
  rotateTitle: 'Replace the signing secret?',
  rotateDescription:
    'The old secret keeps signing as well for a while. Give the target the new secret within that time, so that no message is lost.',
  olderUntil: (until: string) => `An older secret also signs until ${until}`,
  olderEnds:
    'If you replace the secret now, the older one stops at once. Targets that still use it then reject postbacks.',
  formerFor: 'The old secret stops signing',
  periods: {
    '0': 'Immediately',
    '3600': 'After 1 hour',
    '86400': 'After 24 hours',
    '604800': 'After 7 days',
  },
  leaked:
    'If the old secret has leaked, choose “Immediately”. Postbacks may then fail until the target has the new one.',
  rotateConfirm: 'Replace the secret',
  endTitle: 'Stop signing the postbacks?',
  endDescription:
    'Targets that verify signatures will reject the postbacks, and the line will be blocked. The secret is deleted and cannot be restored.',
  endConfirm: 'Stop signing',
  ended: 'Postbacks are no longer signed.',
  made: 'The signing secret',
  secret: 'Signing secret',
  once: 'The secret is shown only once. Copy it to the target now.',
  done: 'I have copied the secret',
} as const;
