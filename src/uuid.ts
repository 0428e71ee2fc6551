/** Texts and bytes of UUIDs (RFC 9562). */

const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The size of a UUID as bytes. */
export const UUID_BYTES = 16;

/** Whether a text is a UUID in lower case. RFC 9562 also allows capitals, which callers may convert. */
export function isUuid(text: string): boolean {
  return SHAPE.test(text);
}

/** Writes a UUID as bytes. */
export function writeUuid(bytes: Buffer, uuid: string, offset: number): void {
  bytes.write(uuid.replaceAll('-', ''), offset, 'hex');
}

/** Reads a UUID that {@link writeUuid} wrote, in lower case. */
export function readUuid(bytes: Buffer, offset: number): string {
  const hex = bytes.toString('hex', offset, offset + UUID_BYTES);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
