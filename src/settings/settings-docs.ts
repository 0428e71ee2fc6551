import { LOG_CLASSES } from '../observability/log-classes.ts';
import { showBytes } from './byte-size.ts';
import { CROSS_RULES } from './cross-rules.ts';
import { needsOf } from './idle-settings.ts';
import { environmentName } from './load-settings.ts';
import {
  SETTING_NAMES,
  SETTINGS_TABLE,
  type SettingDefinition,
  type SettingGroup,
} from './settings-table.ts';

const EXAMPLE = `host: 0.0.0.0
port: 8080
base_url: https://learning.example.com
data_dir: /var/lib/coursewire

# The proxy that ends TLS, and the one internal network that postbacks may go to.
trusted_proxies: [10.0.0.5]
target_allowed_networks:
  - 192.168.10.0/24

delivery_timeout: 10
max_package_size: 500MB

log_level: info
custom_log_levels:
  CourseService: debug
`;

const INTRODUCTION = `<!-- Made from src/settings/settings-table.ts by scripts/generate-settings-docs.ts. Edit those, not this page. -->

# Settings

Every setting has a default: Coursewire starts without any. A setting is read from

1. the environment variable with its name in upper case (\`${environmentName('log_level')}\` for \`log_level\`), else
2. the YAML file named with \`--config\`, else
3. its default.

Settings are read once, at the start. When any of them is wrong the service does not start and says, for all wrong
ones at once, the name, where the value came from, what it holds and what it may hold. A name in the file that is
not a setting is an error too, as is one given twice; environment variables with other names are ignored.

## Types

| Type | In the file | In the environment |
| --- | --- | --- |
| switch | \`true\` or \`false\` | the same |
| number | \`30\`, \`0.5\` | the same |
| length of time | a number of seconds, \`0.5\` | the same |
| number of bytes | \`1048576\`, \`500MB\` (10⁶ bytes each), \`1GiB\` (2³⁰ bytes) | the same |
| text | text; in quotes when it could be taken for something else | the text as it is |
| list | a YAML list | items with commas between them; empty: an empty list |
| map | a YAML map | \`name=value\` with commas between them; empty: an empty map |

Settings whose default is made or decided at the start may be \`null\` in the file, which is the same as leaving
them out. An environment variable that is set to nothing counts as set: that is an empty list or map, and an error
for anything else.

## Example

\`\`\`yaml
${EXAMPLE}\`\`\`

The same in the environment, for two of them:

\`\`\`sh
TARGET_ALLOWED_NETWORKS=192.168.10.0/24,fd12:3456::/32
CUSTOM_LOG_LEVELS=CourseService=debug,Database=warn
\`\`\`
`;

/** The settings reference (docs/settings.md), made from the table. */
export function renderSettingsDocs(): string {
  const groups = new Set<SettingGroup>(SETTING_NAMES.map((name) => SETTINGS_TABLE[name].group));
  return [
    INTRODUCTION,
    ...[...groups].map(renderGroup),
    '## Rules between settings\n',
    ...CROSS_RULES.map(
      (rule) => `- \`${rule.setting}\` may hold ${rule.allowed.replace(/\w+_\w+/g, '`$&`')}.`,
    ),
    '',
    '## Classes for `custom_log_levels`\n',
    '| Class | What it writes about |',
    '| --- | --- |',
    ...Object.entries(LOG_CLASSES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    '',
  ].join('\n');
}

function renderGroup(group: SettingGroup): string {
  const settings = SETTING_NAMES.filter((name) => SETTINGS_TABLE[name].group === group).map((name) => {
    const definition: SettingDefinition<unknown> = SETTINGS_TABLE[name];
    return [
      `### \`${name}\`\n`,
      `${definition.meaning}\n`,
      `- May hold: ${definition.parser.allowed}`,
      `- Default: ${renderDefault(definition)}`,
      ...(needsOf(name) === null
        ? []
        : [`- Used only where ${needsOf(name)}; set otherwise, it does nothing, and the start says so`]),
      ...(definition.shared
        ? [
            '- The same in all instances of a database: a difference is a warning in the log and on the System page',
          ]
        : []),
      ...(definition.secret ? ['- Secret: shown neither in errors nor in logs'] : []),
      '',
    ].join('\n');
  });
  return [`## ${group}\n`, ...settings].join('\n');
}

function renderDefault({ default: value, defaultInWords, parser }: SettingDefinition<unknown>): string {
  if (defaultInWords !== undefined) return defaultInWords;
  if (parser.unit === 'bytes') return `\`${showBytes(Number(value))}\``;
  if (typeof value === 'object') return 'empty';
  return `\`${String(value)}\`${parser.unit === null ? '' : ` ${parser.unit}`}`;
}
