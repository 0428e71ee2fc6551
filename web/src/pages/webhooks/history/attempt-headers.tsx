import type { DeliveryAttempt } from '../../../api/deliveries.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import styles from './history.module.css';

const texts = deliveries.details.headers;

type Headers = NonNullable<DeliveryAttempt['request_headers']>;

/** The headers of an attempt's request and response, folded. Nothing is shown if they are not kept. */
export function AttemptHeaders({ attempt }: { attempt: DeliveryAttempt }) {
  const { request_headers: request, response_headers: response } = attempt;
  if (request === null) return null;
  return (
    <details className={styles.headers}>
      <summary>{texts.title}</summary>
      <HeaderList title={texts.request} headers={request} />
      {response === null ? (
        <div className={styles.dim}>{texts.noResponse}</div>
      ) : (
        <HeaderList title={texts.response} headers={response} />
      )}
    </details>
  );
}

function HeaderList({ title, headers }: { title: string; headers: Headers }) {
  return (
    <>
      <h4>{title}</h4>
      {headers.length === 0 ? (
        <div className={styles.dim}>{texts.none}</div>
      ) : (
        <dl>
          {headers.map(({ name, value }, at) => (
            // A name may occur more than once.
            // biome-ignore lint/suspicious/noArrayIndexKey: the headers of an attempt never change.
            <div key={at}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
