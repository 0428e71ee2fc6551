/** Credentials that the AWS SDK reads, for servers that do not look at them. Those of the environment win. */
export function provideAwsCredentials(): void {
  process.env.AWS_ACCESS_KEY_ID ??= 'test';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'test';
}
