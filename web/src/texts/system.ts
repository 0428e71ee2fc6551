import { capitalized } from '../utilities/capitalized.ts';
import { counted } from './counted.ts';
import { pageTitles } from './page-titles.ts';

/** The health and the settings of the service. */
export const system = {
  title: pageTitles.system,
  description: 'The health, environment and settings of this instance.',
  health: {
    title: 'Health',
    fine: 'Everything works',
    fineDescription:
      'Everything that the service depends on is responding, and messages are being delivered.',
    wrong: 'Something is not working',
    attention: 'Something is turned off',
    clockWrong: 'The clock of this machine is wrong',
    label: 'Checks',
    ok: 'Works',
    failed: 'Not responding',
    clockOff: 'Wrong',
    risk: 'Risk',
    off: 'Turned off',
    unable: 'Unable to connect',
    settingsDiffer: 'Instances have different settings',
    differ: 'Differs',
    checks: {
      database: {
        name: 'Database',
        ok: 'Stores everything, including waiting messages.',
        failed:
          'Nothing can be read or saved. Check that the database server is running and reachable, that its disk is not full, and that the password in database_url is correct. Saved data is not lost.',
      },
      disk: {
        name: 'Disk space',
        ok: 'The disk of data_dir has free space.',
        failed:
          'The disk of data_dir is full, or nearly so: changes may fail soon. Free some space. Saved data is not lost.',
      },
      content: {
        name: 'Course files',
        ok: 'Course packages can be stored and read.',
        failed:
          'Courses cannot be imported or launched. Everything else works. Check that the folder or bucket of content_store exists, has free space, and that the service can read and write it.',
      },
      queue: {
        name: 'Message queue',
        ok: 'Messages are passed on for delivery.',
        failed:
          'Messages are kept in the database and delivered in order without the queue, up to a second later. Check that the queue can be reached and that its credentials are valid, and run “coursewire queues check”.',
        failedInDatabase:
          'Messages wait: no messages can be read from the queue, or the database refuses the results of some deliveries. The log names the cause and these webhooks (DeliveryPoller).',
        obstacle: (text: string) => `Messages are being delivered without the queue: ${text}.`,
      },
      clock: {
        name: 'Clock',
        off: (secondsAhead: number) =>
          `The clock of this machine is ${Math.abs(secondsAhead)} s ${secondsAhead > 0 ? 'ahead of' : 'behind'} the database server’s. Messages and records use the server’s time, so deliveries are not affected. But log lines have wrong times, and certificates may be refused. Synchronize the clock (NTP).`,
      },
      contentOrigin: {
        name: 'Content origin',
        risk: (text: string) => `${capitalized(text)}.`,
      },
      settings: {
        name: 'Settings',
        differs: (setting: string, here: string, there: string, host: string) =>
          `All instances that share a database must have the same ${setting}. Here it is ${here}, on ${host} it is ${there}. Set both to the same value and restart.`,
      },
      delivery: {
        name: 'Delivery',
        unable: (reason: string, webhooks: number, since: string) =>
          `This machine has been unable to connect to targets since ${since}: ${reason}. The messages of ${counted(webhooks, 'webhook', 'webhooks')} wait, and no attempt is counted. Check the name servers of this machine, and how many files the service may open.`,
        delivering: 'Messages are sent to their targets.',
        polling_disabled:
          'This instance does not send messages (enable_queue_polling: false). That is fine if another instance does. Otherwise, messages wait until it is turned on.',
        webhooks_disabled:
          'The webhooks service is disabled (enable_webhooks_service: false). Events trigger no webhooks, nothing is delivered, and webhooks are Read Only.',
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
    several: 'If you run several instances, this is the one that responded.',
  },
  storage: {
    title: 'Storage and queue',
    database: 'Database',
    engines: { sqlite: 'SQLite, embedded', postgres: 'PostgreSQL' },
    size: 'Size of the database',
    unknownSize: 'Unknown while it is not responding',
    content: 'Course files',
    stores: { folder: 'In a folder', s3: 'In an S3 bucket' },
    queue: 'Message queue',
    queues: { database: 'In the database', sqs: 'Amazon SQS' },
  },
  settings: {
    title: 'Settings',
    description:
      'The settings of this instance, without secrets. Change them in its configuration file or environment, then restart it.',
    search: 'Search settings',
    show: 'Show',
    changed: (count: number) => `Changed (${count})`,
    columns: { name: 'Setting', value: 'Value', default: 'Default' },
    differs: 'Changed',
    notSet: 'not set',
    empty: 'none',
    none: 'All settings have their default values.',
    nothing: { title: 'No results', description: 'No setting matches your search.' },
    seconds: (seconds: number) => (seconds === 1 ? '1 second' : `${seconds} seconds`),
    days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  },
} as const;
