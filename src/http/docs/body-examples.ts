import { formSubmittedExample } from '../../events/forms/contract';

/**
 * Request bodies for the samples, by operation, where the required fields alone are no useful request. A test validates
 * them with the schemas of the routes.
 */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  post_v1_auth_session: { state: 'af0ifjsldkj', redirect_uri: 'https://shop.example.com/callback' },
  post_v1_auth_requests: { subscriber_id: '<subscriber_id>', message: 'Approve the payment of 50 €?' },
  post_v1_auth_verify: { code: '<code>' },
  post_v1_send: {
    subscriber_id: '<subscriber_id>',
    text: 'Your order is on its way.',
    buttons: [[{ text: 'Track it', url: 'https://shop.example.com/orders/1001' }]],
  },
  post_v1_send_batch: {
    messages: [
      { external_id: 'user-42', text: 'Order 1001 is on its way.', ref: 'order-1001' },
      { external_id: 'user-43', text: 'Your refund is on its way.', ref: 'refund-77' },
    ],
  },
  post_v1_templates: {
    key: 'shipped',
    variants: { en: { text: 'Hi {{first_name|there}}, order {{order}} is on its way.' } },
  },
  put_v1_templates_key: { variants: { en: { text: 'Hi {{first_name|there}}, {{order}} is on its way.' } } },
  post_v1_templates_preview: {
    template: { variants: { en: { text: 'Hi {{first_name|there}}, order {{order}} is on its way.' } } },
    vars: { order: 1001 },
  },
  post_v1_webhooks_filter_preview: { filter: { rules: [{ field: 'channel', op: 'eq', value: 'telegram' }] } },
  post_v1_scheduled: {
    content: { text: 'We begin in an hour.' },
    external_id: 'user-42',
    scheduled_at: '<later>',
  },
  patch_v1_scheduled_id: { content: { text: 'We begin in half an hour.' } },
  post_v1_recurring: {
    name: 'Weekly digest',
    content: { text: 'What is new this week' },
    audience: { tags_any: ['digest'] },
    cron: '0 9 * * MON',
    timezone: 'Europe/Berlin',
  },
  patch_v1_recurring_id: { status: 'paused' },
  post_v1_drip_chains: {
    name: 'Welcome',
    trigger: { type: 'subscription' },
    steps: [
      { id: 'hello', type: 'send', content: { text: 'Welcome! Reply here if you have a question.' } },
      { id: 'two-days', type: 'delay', minutes: 2880 },
      { id: 'daytime', type: 'wait_until', from: '09:00', to: '18:00' },
      { id: 'tips', type: 'send', content: { text: 'Three tips for the start' } },
    ],
    exit_on: { rules: [{ event: 'purchase' }] },
    status: 'active',
  },
  patch_v1_drip_chains_drip_id: { status: 'paused' },
  post_v1_drip_chains_drip_id_enrolments: { subscriber_id: '<subscriber_id>' },
  post_v1_forms: {
    name: 'Call me back',
    title_en: 'We will call you back',
    title_ru: 'Перезвоним вам',
    fields: [
      { key: 'name', type: 'text', label_en: 'Your name', label_ru: 'Как вас зовут', required: true },
      { key: 'phone', type: 'phone', label_en: 'Phone', label_ru: 'Телефон', required: true },
      {
        key: 'topic',
        type: 'select',
        label_en: 'What is it about?',
        label_ru: 'О чём вопрос?',
        options: [{ value: 'order', label_en: 'An order', label_ru: 'Заказ' }, { value: 'other' }],
      },
    ],
    routes: [
      { action: 'tag', tag: 'callback' },
      {
        action: 'message',
        to: 'members',
        content: { text: 'Call {{name}}: {{phone}}', personalize: true },
        when: { rules: [{ field: 'topic', op: 'eq', value: 'order' }] },
      },
    ],
    allowed_origins: ['https://shop.example'],
  },
  put_v1_forms_form_id: {
    name: 'Call me back',
    fields: [{ key: 'phone', type: 'phone', label_en: 'Phone', required: true }],
    status: 'disabled',
  },
  patch_v1_submissions_id: { status: 'new' },
  post_f_form_id: { name: 'Anna', phone: '+1 555 010 0199' },
  patch_v1_helpdesk: { enabled: true, first_reply_hours: 8, auto_close_days: 3 },
  post_v1_helpdesk_types: { name_en: 'Delivery', name_ru: 'Доставка', priority: 'high' },
  patch_v1_helpdesk_types_id: { priority: 'urgent' },
  post_v1_helpdesk_tickets: { external_id: 'user-42', text: 'Where is my order?', subject: 'Order 1001' },
  patch_v1_helpdesk_tickets_id: { status: 'closed' },
  post_v1_helpdesk_tickets_bulk: { ids: ['<ticket_id>'], set: { priority: 'high' } },
  post_v1_helpdesk_tickets_id_messages: { content: { text: 'It arrives tomorrow.' } },
  post_v1_events: {
    events: [
      { name: 'purchase', external_id: 'user-42', properties: { amount: 49.9 }, event_id: 'order-1001' },
    ],
  },
  post_v1_broadcast: { text: 'The shop opens at ten.', tags_any: ['vip'] },
  post_v1_otp_send: { subscriber_id: '<subscriber_id>', purpose: 'payment' },
  post_v1_otp_verify: { subscriber_id: '<subscriber_id>', purpose: 'payment', code: '123456' },
  post_v1_webhooks: { url: 'https://shop.example.com/webhooks', events: ['auth.completed'] },
  put_v1_webhooks_id: { events: ['auth.completed', 'subscription.deleted'] },
  post_v1_webhooks_id_test: { event: 'auth.completed' },
  post_v1_webhooks_id_recover: { since: '<time>' },
  post_v1_deliveries_retry: { ids: ['<delivery_id>'] },
  post_v1_subscribe_links: { name: 'Till', tags: ['vip'], external_id: 'user-42' },
  patch_v1_tags_name: { name: 'gold' },
  post_v1_permissions: { name: 'news', title_en: 'News', title_ru: 'Новости', default: true },
  patch_v1_permissions_name: { title_en: 'News and offers' },
  post_mini_subscribe: { channel: 'telegram', init_data: '<init_data>', permissions: ['news'] },
  patch_v1_subscribers_id: { external_id: 'user-42', tags: ['beta'], properties: { city: 'Riga' } },
  post_v1_subscribers_tags: { ids: ['<subscriber_id>'], add: ['vip'], remove: ['beta'] },
  put_v1_subscribers_id: { external_id: 'user-42', tags: ['beta'] },
  patch_v1_project: { callback_url: 'https://shop.example.com/callback' },
  put_v1_project_texts: { welcome: { en: 'Hi {{first_name|there}}! You’ll hear from {{project}} here.' } },
  put_v1_project: { callback_url: 'https://shop.example.com/callback' },
  post_v1_import_subscribers: 'external_id,add_tags,properties.city\nuser-42,beta|news,Riga\n',
  post_v1_oidc_clients: { name: 'Shop', redirect_uris: ['https://shop.example.com/auth/callback/herald'] },
  patch_v1_oidc_clients_client_id: { redirect_uris: ['https://shop.example.com/auth/callback/herald'] },
  post_v1_keys: { name: 'Backend', scopes: ['read', 'send'] },
  post_v1_invitations: { role: 'support', name: 'Ann' },
  patch_v1_members_id: { role: 'admin' },
  put_v1_channels_channel: { token: '<bot token>' },
  post_v1_publish: {
    events: [{ event: 'form.submitted', event_id: 'submission-1001', data: formSubmittedExample }],
  },
};
