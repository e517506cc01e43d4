import { botTexts, type Button, type Chat, type OutgoingMessage, type Tap } from '../bots';
import type { Language } from '../../base/contract/common';
import type { Core } from '../../base/core';
import { recordBotMessage, type OwnTicket } from './queries/chats';
import type { TicketTypeRow } from './queries/settings';
import { tapData } from './tap-data';

const BUTTON_LENGTH = 60;

export async function say(chat: Chat, message: OutgoingMessage): Promise<void> {
  await chat.messenger.send(chat.chatId, message);
}

/** What the bot says about a ticket is remembered, so that it can be quoted. */
export async function sayAbout(
  { pool }: Pick<Core, 'pool'>,
  ticketId: string,
  chat: Chat,
  message: OutgoingMessage,
): Promise<void> {
  const { messageId } = await chat.messenger.send(chat.chatId, message);
  await recordBotMessage(pool, ticketId, messageId);
}

/** Answers a tap by changing the message that was tapped. */
export async function replace(tap: Tap, message: OutgoingMessage): Promise<void> {
  await tap.messenger.answerTap(tap.callbackId).catch(() => undefined);
  if (tap.messageId === null) await tap.messenger.send(tap.chatId, message);
  else await tap.messenger.edit(tap.chatId, tap.messageId, message);
}

export function whichTicket(lang: Language, tickets: OwnTicket[]): OutgoingMessage {
  return { text: botTexts[lang].whichTicket, buttons: tickets.map(ticketButton) };
}

export function ticketButton(ticket: OwnTicket): Button[] {
  return [{ text: labelOf(ticket), data: tapData({ kind: 'ticket', id: ticket.id }) }];
}

/** `#42 Acme` */
export function labelOf({ number, project_name }: OwnTicket): string {
  return cut(`#${number} ${project_name.replaceAll(/\s+/g, ' ')}`);
}

export function typeButton(type: TicketTypeRow, lang: Language): Button {
  return { text: cut(nameOf(type, lang)), data: tapData({ kind: 'type', id: type.id }) };
}

export function nameOf(type: TicketTypeRow, lang: Language): string {
  return lang === 'ru' ? type.name_ru : type.name_en;
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length > BUTTON_LENGTH ? `${characters.slice(0, BUTTON_LENGTH).join('')}…` : text;
}
