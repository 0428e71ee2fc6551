import assert from 'node:assert/strict';

/** An AICC unit that was opened at an address: what its page does over HACP. */
export class AiccUnit {
  readonly url: string;
  readonly sessionId: string;

  constructor({ searchParams }: URL) {
    this.url = searchParams.get('AICC_URL')!;
    this.sessionId = searchParams.get('AICC_SID')!;
  }

  /** Sends a command and answers the text. */
  async send(command: string, data?: string, sessionId = this.sessionId): Promise<string> {
    const response = await fetch(this.url, {
      method: 'POST',
      body: new URLSearchParams({
        command,
        version: '4.0',
        session_id: sessionId,
        ...(data === undefined ? {} : { AICC_Data: data }),
      }),
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type')!, /^text\/plain/);
    return await response.text();
  }

  /** The values that `GetParam` answers, by name, and the lines of the free text. */
  async parameters(): Promise<{ values: Record<string, string>; suspended: string }> {
    const text = await this.send('GetParam');
    assert.match(text, /^error=0\r\n/);
    const values = [...text.matchAll(/^([\w.]+)=(.*?)\r?$/gm)].map(([, name, value]) => [name, value]);
    const suspended = /\[Core_Lesson\]\r\n([\s\S]*?)\r\n\[Core_Vendor\]/.exec(text)![1]!;
    return { values: Object.fromEntries(values), suspended };
  }
}
