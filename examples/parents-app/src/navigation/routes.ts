import type { NativeStackScreenProps } from '@react-navigation/native-stack'
import type { CalendarDate } from '../time/dates'

/** The screens above the tabs and what each has to be told. */
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
  Basestation: undefined
  Note: { real_user_id: number; date: CalendarDate }
  ChangePassword: undefined
  Profile: undefined
  ChangePhone: undefined
}

export type ScreenProps<Name extends keyof Routes> = NativeStackScreenProps<Routes, Name>

declare global {
  // React Navigation looks here for what `useNavigation` leads to.
  namespace ReactNavigation {
    interface RootParamList extends Routes {}
  }
}
