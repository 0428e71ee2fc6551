import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { urlCensor } from './url-censor.ts';

describe('the censor of a URL', () => {
  it('removes its path, its query and their parts', () => {
    const censored = urlCensor('https://hooks.example.com/services/T0AB12/sEcReT99?code=aBc12345');
    const shown = censored('no route /services/T0AB12/sEcReT99 (code aBc12345, team T0AB12, sEcReT99)');
    for (const secret of ['T0AB12', 'sEcReT99', 'aBc12345'])
      assert.equal(shown.includes(secret), false, shown);
  });

  for (const [url, reason] of [
    ['https://erp.example.com/api/Service', '503 Service Unavailable'],
    ['https://erp.example.com/Gateway/in', '502 Bad Gateway'],
    ['https://erp.example.com/hook?refused', 'connection refused'],
  ] as const)
    it(`leaves ordinary words unchanged, such as that of ${url}`, () => {
      assert.equal(urlCensor(url)(reason), reason);
    });
});
