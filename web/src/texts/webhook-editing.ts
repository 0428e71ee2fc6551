import { isolate } from '../utilities/isolate.ts';
import { pageTitles } from './page-titles.ts';

/** Creating and editing a webhook. */
export const webhookEditing = {
  addTitle: pageTitles.newWebhook,
  edit: pageTitles.editWebhook,
  editTitle: (name: string) => `Edit ${isolate(name)}`,
  sections: { target: 'Target', events: 'Events', focus: 'Focus' },
  create: 'Create webhook',
  save: 'Save changes',
  created: (name: string) => `${isolate(name)} was created.`,
  saved: (name: string) => `${isolate(name)} was saved.`,
  fields: {
    name: 'Name',
    nameDescription: 'Identifies the webhook in lists and in messages.',
    targetUrl: 'Target URL',
    targetUrlDescription: 'Each message is sent there as JSON in an HTTP POST request.',
    authentication: 'Authentication',
    none: 'None',
    noneDescription: 'Messages are sent without an Authorization header.',
    basic: 'Basic',
    basicDescription: 'Messages are sent with a key and a secret that the target accepts (HTTP Basic).',
    key: 'Key',
    secret: 'Secret',
    secretDescription: 'Stored encrypted and never shown again.',
    secretStays: 'Leave empty to keep the stored secret.',
    secretMoves: 'The scheme, host or port has changed: enter the secret again.',
    enabled: 'Active',
    topic: 'Topic',
    events: 'Events of this topic',
    enabledDescription: 'Events are sent from now on. An inactive webhook sends nothing.',
    enabledDescriptionReadOnly:
      'Nothing is sent while the webhooks service is disabled. An inactive webhook also sends nothing afterwards.',
  },
  checks: {
    secretMoves: 'Enter the secret again: a stored secret is never sent to another scheme, host or port.',
    name: 'Enter a name.',
    nameLength: 'Use at most 200 characters.',
    targetUrlFaults: {
      whiteSpace: 'Remove the spaces around the URL.',
      controlCharacter: 'The URL contains a control character, such as a tab or a line break. Type it again.',
      invisibleCharacter: 'The URL contains an invisible character. Type it again.',
      backslash: 'Use / instead of a backslash. For a backslash in a path or query, write %5C.',
      scheme: 'Enter a URL that starts with https:// or http://',
      slashes: 'Write exactly two slashes after https: or http:',
      credentials: 'Remove the user and password from the URL and use Basic authentication instead.',
      invalid: 'Enter a URL that starts with https:// or http://',
    },
    targetUrlLength: 'Use at most 2,048 characters.',
    key: 'Enter the key.',
    keyColon: 'A key cannot contain a colon.',
    secret: 'Enter the secret.',
    topic: 'Choose a topic.',
    subtopics: 'Choose at least one event.',
    subtopicsExcluded:
      'The selected events cannot be combined with the focus. Select others, or remove the focus.',
  },
  events: {
    all: 'All events of this topic',
    allDescription: 'Includes events that later versions of Coursewire may add.',
    example: 'Example',
    exampleOf: (event: string) => `Example: ${event}`,
    excluded: {
      ACCOUNT_CREATED:
        'Not available with a focus on accounts, because a new account cannot be selected in advance.',
      COURSE_IMPORTED:
        'Not available with a focus on courses, because a new course cannot be selected in advance.',
    },
  },
  focus: {
    optional: 'Optional. Leave it empty to receive events for everything.',
    accounts: 'Accounts',
    accountsDescription: 'Only events for these accounts.',
    content: 'Content',
    contentDescription:
      'Only events for this content. Events for a course also match the equivalents, bundles and folders that contain it.',
    courses: 'Courses',
    coursesDescription: 'Only events for these courses.',
    both: 'If you select accounts and content, an event must match both.',
    leavesOut: (events: string) => `This focus excludes these events: ${events}.`,
    ruleOut: (events: string) =>
      `The selected events (${events}) cannot be combined with this focus. Select other events, or remove the focus.`,
    everything: 'Everything',
    everythingOf: {
      ACCOUNT: 'All accounts',
      ACCOUNT_CONTENT: 'All accounts and all content',
      COURSE: 'All courses',
      REGISTRATION: 'All accounts and all content',
    },
  },
  example: {
    title: 'Message',
    none: 'Choose a topic to see the message of each event, and to send one as a test.',
    titleOf: (event: string) => `Message: ${event}`,
    description: 'An example of what the target receives.',
    test: 'Send test message',
    testAgain: 'Send again',
    readOnly: 'Nothing is sent while the webhooks service is disabled.',
  },
  endsError: 'Saving clears the alert. The webhook is no longer in error until an attempt fails again.',
  apiOnly: {
    title: 'Settings that only the API can change',
    description: 'Editing the webhook here does not change these.',
    defaults: 'Defaults for a new webhook. You can change them through the API.',
    maxAttempts: 'Maximum attempts',
    ignoreBefore: 'Ignores events before',
    ignoreNothing: 'Nothing is ignored',
    loggingMode: 'Logging mode',
    loggingModes: {
      NONE: 'None',
      SUMMARY: 'Summary',
      FULL: 'Full',
      FULLONERROR: 'Full on error',
    },
  },
  conflict: {
    title: 'Someone else changed this webhook in the meantime',
    description:
      'Saving now would undo their changes. Start over from the current values, or keep your changes and overwrite theirs.',
    startAgain: 'Start over from the current values',
    keep: 'Keep my changes',
  },
  readOnly: {
    title: 'This webhook is Read Only',
    description:
      'The webhooks service is disabled (enable_webhooks_service: false). Webhooks cannot be changed until it is enabled again.',
    back: 'Back to the webhook',
  },
} as const;
