import assert from 'node:assert/strict';
import { aiccFiles, type PackageFiles } from '../support/course-packages.ts';

/** A course of two units, the second without a mastery score. */
export const TWO_UNITS: PackageFiles = {
  ...aiccFiles(),
  'course.au':
    '"System_ID","Type","Max_Score","Mastery_Score","Max_Time_Allowed","Time_Limit_Action","File_Name","Core_Vendor","Web_Launch"\r\n' +
    '"A1","lesson","100","80","","","index.html","",""\r\n"A2","lesson","100","","","","index.html","",""\r\n',
  'course.des':
    '"System_ID","Developer_ID","Title","Description"\r\n"A1","D1","One",""\r\n"A2","D2","Two",""\r\n',
  'course.cst': '"Block","Member"\r\n"ROOT","A1"\r\n"ROOT","A2"\r\n',
};

/** An AICC unit that was opened at an address. It communicates by HACP like the unit's page. */
export class AiccUnit {
  readonly url: string;
  readonly sessionId: string;

  constructor({ searchParams }: URL) {
    this.url = searchParams.get('AICC_URL')!;
    this.sessionId = searchParams.get('AICC_SID')!;
  }

  /** Sends a command and returns the text of the response. */
  async send(command: string, data?: string, sessionId = this.sessionId): Promise<string> {
    const members = { command, version: '4.0', session_id: sessionId };
    return await this.sendForm(
      new URLSearchParams({ ...members, ...(data === undefined ? {} : { AICC_Data: data }) }).toString(),
    );
  }

  /** Sends a form that is already encoded, and returns the text of the response. */
  async sendForm(body: string): Promise<string> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    const response = await fetch(this.url, { method: 'POST', headers, body });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    return await response.text();
  }

  /** The values in the response to `GetParam`, by name, and the lines of the free text. */
  async parameters(): Promise<{ values: Record<string, string>; suspended: string }> {
    const text = await this.send('GetParam');
    assert.match(text, /^error=0\r\n/);
    const values = [...text.matchAll(/^([\w.]+)=(.*?)\r?$/gm)].map(([, name, value]) => [name, value]);
    const suspended = /\[Core_Lesson\]\r\n([\s\S]*?)\r\n\[Core_Vendor\]/.exec(text)![1]!;
    return { values: Object.fromEntries(values), suspended };
  }
}
