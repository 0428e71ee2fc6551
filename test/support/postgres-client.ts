import { Client } from 'pg';

/** Opens a session of its own, beside the connections of the service. It ends when it is disposed of. */
export async function connectTo(
  connectionString: string,
  { name }: { name?: string } = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString, ...(name === undefined ? {} : { application_name: name }) });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Runs statements in a session of its own, as an operator does. Returns the number of rows of the last one. */
export async function administer(url: string, ...statements: string[]): Promise<number> {
  await using client = await connectTo(url);
  let rows = 0;
  for (const statement of statements) rows = (await client.query(statement)).rowCount ?? 0;
  return rows;
}
