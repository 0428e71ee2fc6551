/** How the service is, and with which settings it runs. */
export const system = {
  title: 'System',
  description: 'What this instance runs on, whether it works, and with which settings.',
  health: {
    title: 'Health',
    fine: 'Everything works',
    fineDescription: 'All that the service depends on answers, and messages are delivered.',
    wrong: 'Something does not work',
    attention: 'Something is switched off',
    clockWrong: 'The clock of this machine is wrong',
    label: 'Checks',
    ok: 'Works',
    failed: 'Does not answer',
    clockOff: 'Wrong',
    off: 'Switched off',
    settingsDiffer: 'Instances differ in their settings',
    differ: 'Differs',
    checks: {
      database: {
        name: 'Database',
        ok: 'Everything is stored here, the messages that wait included.',
        failed:
          'Nothing can be read or saved. See whether the database server runs and can be reached from here, whether its disk is full, and whether the password in database_url is right. Nothing that was saved is lost.',
      },
      content: {
        name: 'Course files',
        ok: 'Packages of courses can be stored and read.',
        failed:
          'Courses cannot be imported or launched; everything else goes on. See whether the folder or bucket of content_store exists, has room, and may be read and written by the service.',
      },
      queue: {
        name: 'Message queue',
        ok: 'Messages find their way to delivery.',
        failed:
          'Messages are kept in the database and are delivered in order without the queue, up to a second later. See whether it can be reached, whether its credentials are valid, and run “coursewire queues check”.',
        obstacle: (text: string) => `Messages are delivered without the queue meanwhile: ${text}.`,
      },
      clock: {
        name: 'Clock',
        off: (secondsAhead: number) =>
          `The clock of this machine is ${Math.abs(secondsAhead)} s ${secondsAhead > 0 ? 'ahead of' : 'behind'} the database server’s. Messages and records carry the time of the server, so deliveries are not affected, but log lines are dated wrongly and certificates may be refused. Synchronize it (NTP).`,
      },
      settings: {
        name: 'Settings',
        differs: (setting: string, here: string, there: string, host: string) =>
          `All instances of a database must share ${setting}. Here it is ${here}, on ${host} it is ${there}. Give both the same value and restart.`,
      },
      delivery: {
        name: 'Delivery',
        delivering: 'Waiting messages are sent to their targets.',
        polling_disabled:
          'This instance does not send messages (enable_queue_polling: false). That is right when another instance does; otherwise messages wait until it is switched on.',
        webhooks_disabled:
          'The webhooks service is disabled (enable_webhooks_service: false): events trigger no webhooks, nothing is delivered, and webhooks are Read Only.',
      },
    },
  },
  instance: {
    title: 'This instance',
    version: 'Version',
    node: 'Node.js',
    host: 'Host',
    id: 'Instance',
    copyId: 'Copy the id of this instance',
    started: 'Started',
    several: 'Where several instances run, this is the one that answered just now.',
  },
  storage: {
    title: 'Storage and queue',
    database: 'Database',
    engines: { sqlite: 'SQLite, embedded', postgres: 'PostgreSQL' },
    size: 'Size of the database',
    unknownSize: 'Not known while it does not answer',
    content: 'Course files',
    stores: { folder: 'In a folder', s3: 'In an S3 bucket' },
    queue: 'Message queue',
    queues: { database: 'In the database', sqs: 'Amazon SQS' },
  },
  settings: {
    title: 'Settings',
    description:
      'As this instance runs with them; secrets are not shown. They are changed in its configuration file or environment, and read at its start.',
    search: 'Search settings',
    show: 'Show',
    changed: (count: number) => `Changed (${count})`,
    columns: { name: 'Setting', value: 'Value', default: 'Default' },
    differs: 'Changed',
    notSet: 'not set',
    empty: 'none',
    none: 'Every setting has its default.',
    nothing: { title: 'Nothing fits', description: 'No setting fits the search.' },
    seconds: (seconds: number) => (seconds === 1 ? '1 second' : `${seconds} seconds`),
    days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  },
} as const;
