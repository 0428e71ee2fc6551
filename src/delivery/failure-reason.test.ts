import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureReason, plainText, statusReason, timeoutReason } from './failure-reason.ts';
import { TargetRefusedError } from './target-guard.ts';

const coded = (code: string, message = 'something internal') => Object.assign(new Error(message), { code });

describe('the reason of a failure', () => {
  const reasons: Record<string, readonly string[]> = {
    'connection refused': ['ECONNREFUSED'],
    'connection reset': ['ECONNRESET', 'EPIPE'],
    'connection timed out': ['ETIMEDOUT'],
    'host not found': ['ENOTFOUND', 'ENODATA'],
    'host unreachable': ['EHOSTUNREACH'],
    'network unreachable': ['ENETUNREACH'],
    'certificate has expired': ['CERT_HAS_EXPIRED'],
    'certificate is not valid yet': ['CERT_NOT_YET_VALID'],
    'self-signed certificate': ['DEPTH_ZERO_SELF_SIGNED_CERT'],
    'certificate is from an unknown authority': [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    'certificate is for another host name': ['ERR_TLS_CERT_ALTNAME_INVALID'],
    'TLS handshake failed': ['ERR_TLS_PROTOCOL_VERSION_CONFLICT', 'EPROTO'],
    'TLS handshake failed, the target supports neither TLS 1.2 nor TLS 1.3': ['ERR_SSL_UNSUPPORTED_PROTOCOL'],
    'TLS handshake failed, there is no common cipher, or the target requires a client certificate': [
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    ],
    'TLS handshake failed, the target does not know the host name': ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME'],
    'TLS handshake failed: dh key too small': ['ERR_SSL_DH_KEY_TOO_SMALL'],
    'TLS handshake failed, the target reports: internal error': ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'],
    'TLS handshake failed, the target reports: decrypt error': ['ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR'],
    'response could not be parsed': ['HPE_INVALID_CONSTANT', 'HPE_INVALID_VERSION'],
    'response has too many or too long headers': ['UND_ERR_HEADERS_OVERFLOW'],
  };
  for (const [reason, codes] of Object.entries(reasons))
    it(`is '${reason}' for ${codes.join(', ')}`, () => {
      for (const code of codes) assert.equal(failureReason(coded(code)), reason);
    });

  it('names the address that was refused', () => {
    assert.equal(failureReason(new TargetRefusedError('10.0.0.1')), 'target address 10.0.0.1 is not allowed');
  });

  it('is the most informative one if several addresses failed', () => {
    const error = new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]);
    assert.equal(failureReason(error), 'connection refused');
    assert.equal(failureReason(new AggregateError([coded('ENETUNREACH')])), 'network unreachable');
  });

  it('is a short plain line for an error that is not known', () => {
    assert.equal(failureReason(new Error('odd\n  thing\u0007 happened')), 'odd thing happened');
    assert.equal(failureReason(new Error('x'.repeat(10_000))).length, 200);
    assert.equal(failureReason(coded('E_ODD', '')), 'E_ODD');
    for (const nothing of [undefined, null, 'text', 42, {}, new Error('')])
      assert.equal(failureReason(nothing), 'unknown error');
  });

  it('has no stack', () => {
    const error = new Error('odd');
    assert.equal(failureReason(error).includes('failure-reason.test'), false);
  });

  it('is the status and its text', () => {
    assert.equal(statusReason(403, 'Forbidden'), '403 Forbidden');
    assert.equal(statusReason(403, 'Computer says no'), '403 Computer says no');
    assert.equal(statusReason(503, null), '503 Service Unavailable');
    assert.equal(statusReason(503, ' \r\n'), '503 Service Unavailable');
    assert.equal(statusReason(599, ''), '599');
  });

  it('states a deadline in seconds', () => {
    assert.equal(timeoutReason(30_000), 'timed out after 30 s');
    assert.equal(timeoutReason(1_500), 'timed out after 1.5 s');
  });
});

describe('plain text', () => {
  it('has no control, format or line characters', () => {
    assert.equal(plainText('\u001b[31mred\u001b[0m\u2028\u202Eright'), '[31mred [0m right');
  });

  it('has at most 200 characters, and shows that it is truncated', () => {
    assert.equal(plainText('x'.repeat(200)), 'x'.repeat(200));
    assert.equal(plainText(`${'x'.repeat(198)}💥💥`), `${'x'.repeat(198)}…`, 'no half of a character');
    assert.equal(plainText('x'.repeat(201)), `${'x'.repeat(199)}…`);
  });
});
