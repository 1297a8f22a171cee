import type { NativeStackScreenProps } from '@react-navigation/native-stack'
import type { Topic } from '../help/topics'
import type { CalendarDate } from '../time/dates'

/** The screens outside the tabs, with their parameters. */
export type Routes = {
  SignIn: { email: string } | undefined
  SignUp: undefined
  ResetPassword: undefined
  FindAccount: undefined
  Tabs: undefined
  Children: undefined
  AddChild: undefined
  EditChild: { real_user_id: number }
  PairDevice: { real_user_id: number }
  UpdateDevice: { device_id: number }
  Basestation: undefined
  DeleteChild: { real_user_id: number }
  /** `connectedBefore` is the name of a clinic that the parent has asked to connect, and that was connected already. */
  People: { real_user_id: number; connectedBefore?: string }
  HandOver: { real_user_id: number; share_id: number }
  ConnectedApps: undefined
  ConnectClinic: { real_user_id?: number; code?: string }
  AcceptInvitation: { code: string } | undefined
  Day: { real_user_id: number; date: CalendarDate }
  Plan: { real_user_id: number }
  Help: { topic: Topic }
  Survey: { real_user_id: number }
  Note: { real_user_id: number; date: CalendarDate }
  ChangePassword: undefined
  Profile: undefined
  ChangePhone: undefined
  Email: undefined
  ExportData: undefined
  DeleteAccount: undefined
  Consents: undefined
}

export type ScreenProps<Name extends keyof Routes> = NativeStackScreenProps<Routes, Name>

declare global {
  // React Navigation reads the types of `useNavigation` from here.
  namespace ReactNavigation {
    interface RootParamList extends Routes {}
  }
}
