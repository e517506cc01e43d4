import type { SessionFlow } from './contract';

/** How the flows differ. What is not here is the same for all of them. */
export interface Flow {
  /** What the Temporal UI shows. */
  summary: string;
  /** The resource of the API that shows and cancels it. */
  resource: 'session' | 'request';
  /** The bot asks the user who opens a link, or the workflow asks subscribers, of whom the first one to answer decides. */
  asks: 'opener' | 'subscribers';
  /** The session begins when its link is opened in the chat. */
  beginsInChat: boolean;
  /** Where the bot's message leads after Yes. */
  returnsTo: 'redirect_uri' | 'callback_url' | null;
  /** Who collects the outcome. Only a project gets a one-time code for it. */
  collector: 'project' | 'provider';
  /** A login emits `auth.completed`: the project began it and gave a state. */
  emitsCompleted: boolean;
}

export const flows: Record<SessionFlow, Flow> = {
  session: {
    summary: 'login by session',
    resource: 'session',
    asks: 'opener',
    beginsInChat: false,
    // On a phone, the button to any other address would redeem the code of a login on a desktop.
    returnsTo: 'redirect_uri',
    collector: 'project',
    emitsCompleted: true,
  },
  static: {
    summary: 'login by static link',
    resource: 'session',
    asks: 'opener',
    beginsInChat: true,
    returnsTo: 'callback_url',
    collector: 'project',
    emitsCompleted: false,
  },
  oidc: {
    summary: 'login by OpenID Connect',
    resource: 'session',
    asks: 'opener',
    beginsInChat: false,
    returnsTo: null,
    collector: 'provider',
    emitsCompleted: false,
  },
  push: {
    summary: 'approval',
    resource: 'request',
    asks: 'subscribers',
    beginsInChat: false,
    returnsTo: null,
    collector: 'project',
    emitsCompleted: true,
  },
};
