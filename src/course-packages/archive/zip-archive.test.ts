import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { PackageFile } from '../../../test/course-packages/package-file.ts';
import { rawZip } from '../../../test/course-packages/raw-zip.ts';
import { zipOf } from '../../../test/support/course-packages.ts';
import { processorMs } from '../../../test/support/processor-speed.ts';
import { PackageError } from '../package-error.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../package-limits.ts';
import { ZipArchive } from './zip-archive.ts';

const FOLDER = 0o040755;
const UTF8_FLAG = 0x800;

/** Every file of a zip with its content. */
async function contentsOf(zip: Buffer, limits: Partial<PackageLimits> = {}): Promise<Record<string, string>> {
  await using file = await PackageFile.of(zip);
  await using archive = await ZipArchive.open(file.path, { ...DEFAULT_PACKAGE_LIMITS, ...limits });
  const contents: Record<string, string> = {};
  for (const member of archive.members)
    contents[member.name] = (await archive.read(member)).toString('latin1');
  return contents;
}

describe('the content of a zip', () => {
  const large = randomBytes(300_000).toString('hex');
  const files = { 'empty.txt': '', 'a/b/small.txt': 'hello', 'large.txt': large };

  it('is read from deflated, stored and zip64 files, small and large', async () => {
    assert.deepEqual(await contentsOf(await zipOf(files)), files);
    assert.deepEqual(await contentsOf(await zipOf(files, { compress: false })), files);
    assert.deepEqual(await contentsOf(await zipOf(files, { zip64: true })), files);
  });

  it('comes in blocks, which add up to the size that the directory claims', async () => {
    await using file = await PackageFile.of(await zipOf({ 'large.txt': large }));
    await using archive = await ZipArchive.open(file.path, DEFAULT_PACKAGE_LIMITS);
    const blocks = await Array.fromAsync(archive.content(archive.members[0]!));
    assert.ok(blocks.length > 1);
    assert.ok(blocks.every((block) => block.length <= 64 * 1024));
    assert.equal(Buffer.concat(blocks).toString(), large);
  });
});

describe('the content of a zip that lies', () => {
  it('is never more than the directory claims, however much there is', async () => {
    const claimed = 300_000;
    const packed = deflateRawSync(Buffer.alloc(100 * claimed));
    await using file = await PackageFile.of(rawZip([{ name: 'zeros.bin', packed, claimedSize: claimed }]));
    await using archive = await ZipArchive.open(file.path, DEFAULT_PACKAGE_LIMITS);
    let bytes = 0;
    const reading = async () => {
      for await (const block of archive.content(archive.members[0]!)) bytes += block.length;
    };
    await assert.rejects(reading(), { code: 'FILE_SIZE_WRONG' });
    assert.ok(bytes <= claimed);
  });

  it('is not read into memory in its packed form, however large that is', async () => {
    const packed = randomBytes(16 * 1024 * 1024);
    await using file = await PackageFile.of(rawZip([{ name: 'a.txt', packed, claimedSize: 1 }]));
    await using archive = await ZipArchive.open(file.path, DEFAULT_PACKAGE_LIMITS);
    const before = process.memoryUsage().arrayBuffers;
    await assert.rejects(archive.read(archive.members[0]!), PackageError);
    assert.ok(process.memoryUsage().arrayBuffers - before < packed.length / 2);
  });

  it('is refused where the directory points to no file', async () => {
    const zip = rawZip([{ name: 'a.txt', content: 'hello' }]);
    zip.write('XX');
    await assert.rejects(contentsOf(zip), { code: 'FILE_DAMAGED' });
  });
});

describe('the names of a zip', () => {
  it('are UTF-8 whether they say so or not, and CP850 when they are not UTF-8', async () => {
    const names = Object.keys(
      await contentsOf(
        rawZip([
          { name: 'flagged-é.txt', flags: UTF8_FLAG },
          { name: 'unflagged-é.txt' },
          { name: Buffer.from('cp850-\x82.txt', 'latin1') },
          { name: Buffer.from('wrongly-flagged-\x82.txt', 'latin1'), flags: UTF8_FLAG },
        ]),
      ),
    );
    assert.deepEqual(names, ['flagged-é.txt', 'unflagged-é.txt', 'cp850-é.txt', 'wrongly-flagged-é.txt']);
  });

  it('have the letters of the languages of Western Europe and of Brazil', async () => {
    const names = {
      'avaliação.html': 'avalia\x87\xC6o.html',
      'opções/ÁÉÍÓÚ.html': 'op\x87\xE4es/\xB5\x90\xD6\xE0\xE9.html',
      'ÀÂÃÊÔÕÇ.html': '\xB7\xB6\xC7\xD2\xE2\xE5\x80.html',
      'smørbrød på Østerbro.html': 'sm\x9Brbr\x9Bd p\x86 \x9Dsterbro.html',
      'où, Ë, Ï, Ý.html': 'o\x97, \xD3, \xD8, \xED.html',
      'Größe ÄÖÜ ñ.html': 'Gr\x94\xE1e \x8E\x99\x9A \xA4.html',
    };
    const written = Object.values(names).map((name) => ({ name: Buffer.from(name, 'latin1') }));
    assert.deepEqual(Object.keys(await contentsOf(rawZip(written))), Object.keys(names));
  });

  it('are those of the Unicode path field where there is one', async () => {
    for (const [bytes, name] of [
      ['caf?.txt', 'café.txt'],
      ['\x9B.txt', '¢.txt'],
    ] as const) {
      const legacy = Buffer.from(bytes, 'latin1');
      const field = Buffer.concat([Buffer.from([0x75, 0x70, 0, 0, 1, 0, 0, 0, 0]), Buffer.from(name)]);
      field.writeUInt16LE(field.length - 4, 2);
      field.writeUInt32LE(crc32(legacy), 5);
      assert.deepEqual(Object.keys(await contentsOf(rawZip([{ name: legacy, extra: field }]))), [name]);
    }
  });

  it('may not contain control characters, whatever their encoding', async () => {
    for (const name of ['a\nb.txt', '\x82\n.txt', '\x82\x7f.txt']) {
      const zip = rawZip([{ name: Buffer.from(name, 'latin1') }]);
      await assert.rejects(contentsOf(zip), { code: 'ZIP_NAME_INVALID' }, JSON.stringify(name));
    }
  });

  it('do not include files that macOS and Windows add, but do include files with similar names', async () => {
    const names = [
      '__MACOSX/._a.txt',
      '.DS_Store',
      'a/.DS_Store',
      'a/Thumbs.db',
      'desktop.ini',
      '._course.au',
      'a/._b.txt',
      'my.DS_Store',
      '__MACOSX.txt',
      'a._b.txt',
    ];
    const zip = rawZip(names.map((name) => ({ name })));
    assert.deepEqual(Object.keys(await contentsOf(zip)), ['my.DS_Store', '__MACOSX.txt', 'a._b.txt']);
  });

  it('may start with "./", as the tar of Windows and macOS writes them', async () => {
    const zip = rawZip(
      ['./', './imsmanifest.xml', '././a/', './a/b.txt', './.hidden', '.\\c.txt'].map((name) => ({ name })),
    );
    await using file = await PackageFile.of(zip);
    await using archive = await ZipArchive.open(file.path, DEFAULT_PACKAGE_LIMITS);
    assert.deepEqual(
      archive.members.map(({ name }) => name),
      ['imsmanifest.xml', 'a/b.txt', '.hidden', 'c.txt'],
    );
    assert.deepEqual(archive.folders, ['a']);
    for (const [names, code] of [
      [['./a.txt', 'a.txt'], 'ZIP_DUPLICATE_NAME'],
      [['./../a.txt'], 'ZIP_NAME_INVALID'],
      [['.//a.txt'], 'ZIP_NAME_INVALID'],
      [['a/./b.txt'], 'ZIP_NAME_INVALID'],
      [['./.'], 'ZIP_NAME_INVALID'],
      [[''], 'ZIP_NAME_INVALID'],
    ] as const) {
      await assert.rejects(contentsOf(rawZip(names.map((name) => ({ name })))), { code }, names.join());
    }
  });

  it('include the folders, also those that only files imply, parents first', async () => {
    const zip = rawZip([
      { name: 'a/b/c.txt' },
      { name: 'empty/' },
      { name: 'by-mode', mode: FOLDER },
      { name: 'a/d.txt' },
    ]);
    await using file = await PackageFile.of(zip);
    await using archive = await ZipArchive.open(file.path, DEFAULT_PACKAGE_LIMITS);
    assert.deepEqual(archive.folders, ['a', 'a/b', 'empty', 'by-mode']);
    assert.deepEqual(
      archive.members.map(({ name }) => name),
      ['a/b/c.txt', 'a/d.txt'],
    );
  });
});

describe('the limits of a zip', () => {
  const files = { 'a.txt': 'x'.repeat(100), 'b/c.txt': 'y'.repeat(100) };
  const enough: Partial<PackageLimits> = {
    entries: 3,
    fileBytes: 100,
    totalBytes: 200,
    nameBytes: 7,
    depth: 2,
  };

  it('accept an archive within them', async () => {
    assert.deepEqual(await contentsOf(await zipOf(files), enough), files);
  });

  for (const [limit, code] of [
    ['entries', 'ZIP_TOO_MANY_ENTRIES'],
    ['fileBytes', 'FILE_TOO_LARGE'],
    ['totalBytes', 'ZIP_TOO_LARGE'],
    ['nameBytes', 'ZIP_NAME_INVALID'],
    ['depth', 'ZIP_NAME_INVALID'],
  ] as const) {
    it(`reject an archive that exceeds ${limit} by one`, async () => {
      const zip = await zipOf(files);
      await assert.rejects(contentsOf(zip, { ...enough, [limit]: enough[limit]! - 1 }), { code });
    });
  }

  it('count the folders that the names of empty folders imply', async () => {
    const zip = rawZip([{ name: 'a/b/c/' }]);
    await contentsOf(zip, { entries: 3 });
    await assert.rejects(contentsOf(zip, { entries: 2 }), { code: 'ZIP_TOO_MANY_ENTRIES' });
  });

  it('limit the compression ratio of files above a size', async () => {
    const zip = await zipOf({ 'zeros.bin': Buffer.alloc(100_000) });
    await contentsOf(zip, { ratio: 10, ratioFloorBytes: 100_000 });
    await assert.rejects(contentsOf(zip, { ratio: 10, ratioFloorBytes: 99_999 }), {
      code: 'ZIP_RATIO_TOO_HIGH',
    });
  });
});

describe('a zip of thousands of folders', () => {
  it('lets the event loop turn while their names, which are full of accents, are compared', async () => {
    const accents = '\u0301\u0316'.repeat(60);
    const folder = ['a', 'b', 'c'].map((name) => name + accents).join('/');
    const entries = Array.from({ length: 15_000 }, (_, n) => ({
      name: `${folder}/${n}${accents}/`,
      packed: Buffer.alloc(0),
      claimedSize: 0,
    }));
    await using file = await PackageFile.of(rawZip(entries));
    let isOpening = true;
    let longest = 0;
    let turned = processorMs();
    const began = turned;
    const note = () => {
      longest = Math.max(longest, processorMs() - turned);
      turned = processorMs();
    };
    const turn = () => {
      note();
      if (isOpening) setImmediate(turn);
    };
    turn();
    await using archive = await ZipArchive.open(file.path, DEFAULT_PACKAGE_LIMITS);
    isOpening = false;
    note();
    assert.equal(archive.folders.length, entries.length + 3);
    const all = processorMs() - began;
    assert.ok(longest < all / 4, `${longest} of ${all} ms without a turn`);
  });
});
