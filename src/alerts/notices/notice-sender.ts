import { urlCensor } from '../../observability/url-censor.ts';
import {
  alertUrlContext,
  type CredentialsCipher,
  UndecryptableError,
} from '../../secrets/credentials-cipher.ts';
import { untilAborted } from '../../time/until-aborted.ts';
import { responseExplanation } from '../../webhooks/health/response-explanation.ts';
import type { AlertRule, Channel } from '../rules/alert-rule.ts';
import { targetBody } from './chat-bodies.ts';
import { type Mailer, refusalsText, type SendOutcome } from './mailer.ts';
import type { Notice } from './notice.ts';
import { noticeText, plainBody } from './notice-text.ts';

/** Posts a body to a URL, like the sender of deliveries: with a deadline, and only where targets may be. */
export type PostNotice = (request: { messageId: string; url: string; body: string }) => Promise<{
  outcome: 'DELIVERED' | 'FAILED';
  status: number | null;
  responseBody: string | null;
  /** Why it failed. */
  reason: string | null;
}>;

/** Dependencies of {@link NoticeSender}. */
export interface NoticeSenderDependencies {
  mailer: Pick<Mailer, 'send'>;
  post: PostNotice;
  cipher: Pick<CredentialsCipher, 'decrypt'>;
  /** Without a trailing slash. */
  baseUrl: () => string;
}

/** Sends a notice over one channel, immediately. It uses neither the message queue nor the database. */
export class NoticeSender {
  readonly #with: NoticeSenderDependencies;

  constructor(dependencies: NoticeSenderDependencies) {
    this.#with = dependencies;
  }

  /** Never rejects. @param rule says where it is sent */
  async send(
    rule: AlertRule,
    channel: Channel,
    notice: Pick<Notice, 'batch' | 'content' | 'createdAt'>,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    return channel === 'EMAIL'
      ? await this.#mail(rule, notice, signal)
      : await this.#post(rule, notice, signal);
  }

  async #mail(
    rule: AlertRule,
    { batch, content }: Pick<Notice, 'batch' | 'content'>,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    if (rule.emailTo.length === 0)
      return { sent: false, error: 'the alert rule has no e-mail address any more' };
    const { onlyTo, rejected = [] } = content;
    const to = onlyTo === undefined ? rule.emailTo : rule.emailTo.filter((each) => onlyTo.includes(each));
    // The addresses that were left have been removed from the rule.
    if (to.length === 0) return { sent: true, error: refusalsText({ onlyTo: [], rejected }) };
    const text = noticeText(content, this.#with.baseUrl());
    return await this.#with.mailer.send(
      {
        to,
        rejected,
        subject: text.title,
        text: plainBody(text),
        id: batch,
        repliesTo: content.repliesTo,
      },
      signal,
    );
  }

  async #post(
    rule: AlertRule,
    notice: Pick<Notice, 'batch' | 'content' | 'createdAt'>,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { target } = rule;
    if (target === null) return { sent: false, error: 'the alert rule has no URL any more' };
    let url: string;
    try {
      url = this.#with.cipher.decrypt(alertUrlContext(rule.id), target.storedUrl);
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      return { sent: false, error: 'the stored URL cannot be decrypted: set it again' };
    }
    const body = targetBody(target.format, notice, noticeText(notice.content, this.#with.baseUrl()));
    const posted = this.#with.post({ messageId: notice.batch, url, body });
    // A sender that stops does not wait for the deadline of a request.
    const result = await untilAborted(posted, signal).catch((error: unknown) => {
      if (error !== signal.reason) throw error;
      return null;
    });
    if (result === null) return { sent: false, error: 'stopped before there was a response' };
    if (result.outcome === 'DELIVERED') return { sent: true, error: null };
    const censored = urlCensor(url);
    const { status, responseBody, reason: cause } = result;
    const explanation = responseExplanation({ status, body: responseBody, reason: cause }, censored);
    const reason = censored(cause ?? 'unknown error');
    return { sent: false, error: explanation === null ? reason : `${reason}: ${explanation}` };
  }
}
