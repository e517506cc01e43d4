/** What a signing secret is sealed for, together with the id of its endpoint. */
export const webhookSecretPurpose = 'webhook_secret';
