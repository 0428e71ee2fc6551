import {
  type Postback,
  PostbackSender,
  type PostbackSenderOptions,
} from '../../src/delivery/postback-sender.ts';
import { TargetGuard, type TargetGuardOptions } from '../../src/delivery/target-guard.ts';

/** A sender that can reach the targets of tests, which are on the loopback network. */
export function loopbackSender(
  options: Partial<PostbackSenderOptions> & Pick<TargetGuardOptions, 'lookup'> = {},
): PostbackSender {
  const { lookup, ...rest } = options;
  const guard = new TargetGuard({
    allowedNetworks: ['127.0.0.0/8'],
    ...(lookup !== undefined && { lookup }),
  });
  return new PostbackSender({ guard, version: '1.2.3', ...rest });
}

/** A message with default members, except for the given ones. */
export function postbackTo(url: string, changes: Partial<Postback> = {}): Postback {
  return { messageId: 'msg_1', url, body: '{"topic":"ACCOUNT"}', credentials: null, ...changes };
}
