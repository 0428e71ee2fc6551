import { MIB } from '../../src/bytes.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { startLaunch } from '../support/player-client.ts';
import { registerTo } from '../support/registered-course.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus } from './attack.ts';

const LARGEST_TEXT = 'a text of 8 MB';
const HACP_TABLES = 'HACP: tables of every kind, each of the maximum size';

export async function hacpAttacks(service: WatchedService): Promise<Attack[]> {
  const { registrationId } = await registerTo(service, aiccFiles());
  const client = await startLaunch(service, registrationId);
  await client.open();
  const { searchParams } = new URL((await client.openUnit('A1')).address);
  const session = encodeURIComponent(searchParams.get('AICC_SID')!);
  const send = async (command: string, data: string) => {
    const response = await fetch(searchParams.get('AICC_URL')!, {
      method: 'POST',
      body: `command=${command}&session_id=${session}&aicc_data=${data}`,
    });
    assertStatus({ status: response.status, body: await response.text() }, 200, 413);
  };
  const lines = (count: number, of: (n: number) => string) =>
    encodeURIComponent(Array.from({ length: count }, (_, n) => of(n)).join('\n'));
  const columns = Array.from({ length: 100 }, (_, n) => n.toString(36)).join(',');
  const messages: Record<string, [string, string]> = {
    [LARGEST_TEXT]: ['PutParam', `%5BCore_Lesson%5D%0A${'x'.repeat(7.9 * MIB)}`],
    'escapes of no encoding': ['PutParam', `%5BCore_Lesson%5D%0A${'%ff'.repeat(2.6 * MIB)}`],
    'escapes of code units': ['PutParam', `%5BCore_Lesson%5D%0A${'%u0442'.repeat(1.3 * MIB)}`],
    'blanks without end': ['PutParam', `%5BCore_Lesson%5D%0A${'+'.repeat(7.9 * MIB)}`],
    'lines without end': ['PutParam', `%5BCore_Lesson%5D%0A${'%0A'.repeat(2.6 * MIB)}`],
    'a score without end': ['PutParam', `%5BCore%5D%0Ascore=${','.repeat(7.9 * MIB)}`],
    'a score of digits without end': ['PutParam', `%5BCore%5D%0Ascore=${'1'.repeat(100_000)}x`],
    'values without end': ['PutParam', `%5BCore%5D%0A${lines(400_000, (n) => `a${n}=1`)}`],
    'preferences without end': [
      'PutParam',
      `%5BStudent_Preferences%5D%0A${lines(400_000, (n) => `a${n}=1`)}`,
    ],
    'interactions without end': [
      'PutInteractions',
      `${columns}%0A${lines(5_000, () => `${'x,'.repeat(99)}x`)}`,
    ],
    'comments without end': ['PutComments', `${columns}%0A${lines(5_000, () => `${'x,'.repeat(99)}x`)}`],
    'quotation marks that are never closed': [
      'PutComments',
      `a%0A${`%22${'+'.repeat(15_000)}%0A`.repeat(350)}`,
    ],
    'commas without end': ['PutComments', `a%0A${lines(150, () => ','.repeat(15_000))}`],
  };
  const table = `${columns}%0A${lines(1_400, () => `${'x,'.repeat(99)}x`)}`;
  return [
    ...Object.entries(messages).map(([name, [command, data]]) => ({
      name: `HACP: ${name}`,
      ...(name === LARGEST_TEXT
        ? {}
        : { queriesLike: name.startsWith('interactions') ? HACP_TABLES : `HACP: ${LARGEST_TEXT}` }),
      perform: () => send(command, data),
    })),
    {
      name: HACP_TABLES,
      async perform() {
        for (const kind of ['Interactions', 'Objectives', 'Comments', 'Path', 'Performance']) {
          await send(`Put${kind}`, table);
        }
        await send('GetParam', '');
        await send('ExitAU', '');
      },
    },
  ];
}
