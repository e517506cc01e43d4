import type { Command } from 'commander';
import { registerDomains } from '../roles/domains';
import { addCompletionCommand } from './completion';
import { addDeliveryCommands } from './deliveries';
import { addDoctorCommand } from './doctor';
import { addDripCommands } from './drip';
import { addTicketCommands } from './ticket';
import { addEncryptionCommands } from './encryption';
import { addExportCommand } from './export';
import { addKeyCommands } from './keys';
import { addListenCommand } from './listen';
import { addMcpCommand } from './mcp';
import { addMemberCommands } from './members';
import { addOidcCommands } from './oidc';
import { addMessageCommands } from './message-lists';
import { addProjectCommands } from './projects';
import { addRecoverCommand } from './recover';
import { addResetCommand } from './reset';
import { addSessionCommands } from './sessions';
import { addTailCommand } from './tail';
import { addTriggerCommand } from './trigger';
import { addWorkflowCommands } from './workflows';

/** All commands but those that run the service, in the order of the help. */
export function addCommands(program: Command): void {
  registerDomains();
  addProjectCommands(program);
  addKeyCommands(program);
  addMemberCommands(program);
  addOidcCommands(program);
  addDeliveryCommands(program);
  addExportCommand(program);
  addSessionCommands(program);
  addListenCommand(program);
  addTriggerCommand(program);
  addTailCommand(program);
  addMcpCommand(program);
  addWorkflowCommands(program);
  addRecoverCommand(program);
  addMessageCommands(program);
  addDripCommands(program);
  addTicketCommands(program);
  addDoctorCommand(program);
  addEncryptionCommands(program);
  addResetCommand(program);
  addCompletionCommand(program);
}
