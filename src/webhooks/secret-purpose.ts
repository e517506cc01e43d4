/** What a sealed value is for: it can be opened only as what it was sealed as. */
export const webhookSecretPurpose = 'webhook_secret';
